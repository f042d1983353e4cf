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

Device device_numbered(int64_t number) {
  MONOGRAPH_CHECK(number >= 0 && number < 128, Runtime, "Device index must not be negative and below 128, but got ", number);
  const Device d = with_fallback(Device{DeviceType::Cuda, static_cast<int8_t>(number)});
  MONOGRAPH_CHECK(d.type == DeviceType::Cpu, Runtime, "Cannot access accelerator device when none is available: the device ", number,
                  " is a GPU. Write 'cpu', or set MONOGRAPH_DEVICE_FALLBACK=cpu in the environment");
  return d;
}

}  // namespace monograph
