"""torch.cuda: there is none; Monograph runs on the CPU (docs/scope.md)."""


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0
