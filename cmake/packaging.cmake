# What `cmake --install` puts where, and the Debian package that `cpack -G DEB` makes of it.
# `drover_distribution` builds all that is installed.

# Distributions compress pages; -n leaves the time out, so that the same sources give the same file.
find_program(GZIP gzip REQUIRED)
set(distribution ${PROJECT_BINARY_DIR}/distribution)
file(MAKE_DIRECTORY ${distribution})
add_custom_command(OUTPUT ${distribution}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf man1 nvml changelog.Debian.gz
  COMMAND ${CMAKE_COMMAND} -E make_directory nvml
  COMMAND ${CMAKE_COMMAND} -E create_symlink libdrover-nvml.so nvml/libnvidia-ml.so.1
  COMMAND ${CMAKE_COMMAND} -E create_symlink libnvidia-ml.so.1 nvml/libnvidia-ml.so
  COMMAND drover man --all man1
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/packaging/changelog changelog.Debian
  COMMAND sh -c "${GZIP} -9 -n man1/*.1 changelog.Debian"
  COMMAND drover completion bash > drover.bash
  COMMAND drover completion zsh > drover.zsh
  COMMAND drover completion fish > drover.fish
  COMMAND ${CMAKE_COMMAND} -E touch made
  DEPENDS drover ${PROJECT_SOURCE_DIR}/packaging/changelog
  WORKING_DIRECTORY ${distribution}
  COMMENT "Manual pages and completions"
  VERBATIM)
add_custom_target(drover_distribution ALL DEPENDS ${distribution}/made)
add_dependencies(drover_distribution drover drover_nvml)

include(GNUInstallDirs)
install(TARGETS drover RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Under the names by which programs load NVIDIA's library, where they look only if they are told to.
install(TARGETS drover_nvml LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/drover/nvml)
install(DIRECTORY ${distribution}/nvml DESTINATION ${CMAKE_INSTALL_LIBDIR}/drover)
install(DIRECTORY ${distribution}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${distribution}/drover.bash RENAME drover
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${distribution}/drover.zsh RENAME _drover
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${distribution}/drover.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING
  PATTERN "*.toml" PATTERN "*.yml" PATTERN "*.json")

# The Debian package. It packs what was built: cpack builds nothing, as it would build all tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME drover)
set(CPACK_PACKAGE_CONTACT "Drover maintainers <maintainers@drover.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion, man-db, openssh-client")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "GPUs and TPUs in your terminal, real and emulated
Watches real devices, emulates a mixed fleet, routes work across it with
explained fallbacks, and replays recordings of it later. One program,
drover, has all of it; see drover(1).")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
install(FILES packaging/copyright ${distribution}/changelog.Debian.gz
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Unspecified)
include(CPack)
