"""torch.onnx: Monograph does not write ONNX files yet. Programs ask whether they are exported."""



def is_in_onnx_export() -> bool:
    """Whether torch.onnx.export runs the code: never here."""
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: object, opset_version: int) -> None:
    """Tells the exporter how to write an operator of yours: kept by nobody, since there is no exporter yet."""
