"""torch.onnx: Monograph does not write ONNX files yet. Programs ask whether they are exported."""

from .. import _absent


def is_in_onnx_export() -> bool:
    """Whether torch.onnx.export runs the code: never here."""
    return False


__getattr__ = _absent.of_module(__name__)
