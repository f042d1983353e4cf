"""torch.ScriptObject: the class that packages name in isinstance()."""


class ScriptObject:
    """PyTorch's objects of C++ classes that a script knows (torch.classes). There are none here, so isinstance() answers False."""
