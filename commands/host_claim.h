// One agent of a name and router on one machine: of two, the newer would end the older.
//
// The claim is a name in the kernel (an abstract socket), not a file: it is gone with its process,
// however that ends, and needs no folder. It reaches as far as the machine does; among machines the
// router decides, and there the newest wins, so that a host is never shut out by its own past.
#pragma once

#include <string>

namespace drover::commands {

class HostClaim {
 public:
  /// `endpoint`: the router's, as given.
  HostClaim(const std::string& host, const std::string& endpoint);
  ~HostClaim();
  HostClaim(const HostClaim&) = delete;
  HostClaim& operator=(const HostClaim&) = delete;

  /// False while another process of this machine holds it. Held until this object ends.
  bool take();

 private:
  std::string name_;
  int socket_ = -1;
};

}  // namespace drover::commands
