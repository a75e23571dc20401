#include "commands/completion/scripts.h"

#include <array>

namespace drover::commands {

namespace {

// Each passes the words up to the cursor, with a line feed behind each, as one argument: a word may
// be empty or look like an option. A line of the answer is a candidate, perhaps with a tab and its
// help, or ":files" or ":folders".

constexpr std::string_view bash_script = R"SCRIPT(# bash completion for drover
_drover() {
  local words line kept candidates
  # Not COMP_WORDS: bash splits those at colons and equal signs.
  read -r -a words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
  printf -v line '%s\n' "${words[@]}"
  local last=${words[${#words[@]} - 1]}
  # bash replaces only what follows the last of these.
  kept=${last%"${last##*[:=]}"}
  COMPREPLY=()
  mapfile -t candidates < <("$1" complete "$line" 2>/dev/null)
  for line in "${candidates[@]}"; do
    case $line in
      :files) compopt -o filenames -o default 2>/dev/null ;;
      :folders) compopt -o filenames -o dirnames 2>/dev/null ;;
      *) line=${line%%$'\t'*}; COMPREPLY+=("${line#"$kept"}") ;;
    esac
  done
}
complete -F _drover drover
)SCRIPT";

constexpr std::string_view zsh_script = R"SCRIPT(#compdef drover
# zsh completion for drover
_drover() {
  local line paths
  local -a candidates shown
  for line in "${(@f)$("$words[1]" complete "${(F)words[1,CURRENT]}"$'\n' 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files|:folders) paths=$line ;;
      *)
        candidates+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  -- }") ;;
    esac
  done
  (( $#candidates )) && compadd -l -d shown -a candidates
  case $paths in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
if [[ $funcstack[1] = _drover ]]; then
  _drover "$@"
else
  compdef _drover drover
fi
)SCRIPT";

constexpr std::string_view fish_script = R"SCRIPT(# fish completion for drover
function __drover_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l line (printf '%s\n' $words | string collect --no-trim-newlines)
    for candidate in ($words[1] complete $line 2>/dev/null)
        switch $candidate
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $candidate
        end
    end
end
complete -c drover -f -a '(__drover_complete)'
)SCRIPT";

constexpr std::array<CompletionScript, 3> scripts = {
    {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};

}  // namespace

std::span<const CompletionScript> completion_scripts() { return scripts; }

}  // namespace drover::commands
