#include "core/device_names.h"

#include "core/error.h"

namespace monograph {

Device device_named(std::string_view text, std::string_view where) {
  MONOGRAPH_CHECK(!text.empty(), Runtime, where, "Device string must not be empty");
  Device d;
  if (parse_device(text, d)) return d;
  if (parse_device(text.substr(0, text.find(':')), d))
    fail(ErrorKind::Runtime, where, "Invalid device string: '", text, "'; the number of a device has one or two digits, as in 'cuda:0'");
  fail(ErrorKind::Runtime, where, "Expected one of ", device_types(), " device type at start of device string: ", text);
}

}  // namespace monograph
