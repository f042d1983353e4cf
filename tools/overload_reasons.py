"""Why an overload of PyTorch is missing: what tools/api_coverage.py writes, and tests read."""

from __future__ import annotations

import re

# A pattern of NAME.OVERLOAD for each reason. In PyTorch torch.ops cannot call the second kind at all.
REASONS = {
    "PyTorch has out_dtype= on accelerators only": r"^(addmm|baddbmm|bmm|mm)\.dtype(_out)?$",
    "PyTorch's torch.ops refuses every call of it, and TorchScript computes it in another way": (
        r"^(einsum\.sublist|as_tensor\.list|save\.default|wait\.default|(eq|ne)\.enum|__getitem__\.Dict_(complex|Tensor)|__contains__\.Tensor|dequantize\.(any|list))$"
    ),
    "storages are objects of Python here; x.set_() takes them": r"^set_\.source_Storage(_storage_offset)?$",
    "sparse tensors are out of scope": r"sparse",
    "Python makes Generators; torch.Generator() is one": r"^Generator\.default$",
}


def reason_of_overload(name: str, overload: str) -> str | None:
    return next((reason for reason, pattern in REASONS.items() if re.search(pattern, f"{name}.{overload}")), None)
