"""The programs of programs.py whose captures have several hashes: which captures agree ("a b | c": a and b have one hash, and c another), and the reason. hashes.py
prints the counts, and tests/python/test_hashes_of_captures.py checks that the list is complete and that nothing in it has become equal."""

RANK = "a trace knows the number of dims from its example, and the other captures ask for it when they run"
CHECK = "the layer's checks of its input: a script asks when it runs, and raises; a trace knows its example, and a symbolic trace of the layer has a guard"
DTYPE = "a trace knows the dtype from its example, and the other captures ask for it when they run"
WRITTEN = "a script assigns the attribute in its graph; after a trace or a symbolic trace, the assignment is done beside the graph"
CONSTANT = "a symbolic trace computes what consists of constants alone"
ATTENTION = "nn.MultiheadAttention: a script asks for the number of dims, and whether query, key and value are one tensor"

DIFFERENT: dict[str, tuple[str, str]] = {
    "tuples and lists, nested": ("symbolic | trace", "a symbolic trace reads an input without an annotation as a tensor"),
    "a number as argument": ("script symbolic | trace", "a trace knows that the argument is a number, and the others take a tensor"),
    "print of a tensor": ("script | symbolic | trace", "a script prints a size as a list, as in PyTorch; and a trace knows the number of dims"),
    "dropout and batch norm, evaluating": ("script | symbolic trace", CHECK),
    "anchors matched to boxes, or to none": ("script symbolic | trace", DTYPE),
    "any() of a generator over rows": ("script | symbolic trace", "a script makes the list of all flags; in the other captures the loop ends at the first one that is true"),
    "dynamic time warping of two sequences": ("script | symbolic trace", "torch.tensor(inf): a script asks for the default dtype when it runs, and the others have made the constant"),
    "k-means until the centers rest": ("script | symbolic | trace", DTYPE + "; a symbolic trace writes x.to(y.dtype) as x.to(y)"),
    "masked assignment": ("script symbolic | trace", DTYPE),
    "key cache filled at a position": ("script | symbolic trace", "a tensor as the bound of a slice: a script takes tensors without dims alone, as in PyTorch, and Python takes any of one element"),
    "the nucleus of the likeliest tokens": ("script symbolic | trace", DTYPE),
    "batch norm's check of the rank": ("script symbolic | trace", RANK),
    "parameter's own shape decides": ("script | symbolic trace", "a script asks for the sizes of a parameter when it runs, and the others know them"),
    "optional mask": ("script | symbolic | trace", "a trace has no input for an argument that is None; a symbolic trace takes a mask; a script takes both"),
    "two dims or three": ("script symbolic | trace", RANK),
    "match on the rank": ("symbolic | trace", RANK),
    "attribute set in a way": ("script | symbolic trace", WRITTEN),
    "no_grad in a way": ("script symbolic | trace", "a trace writes detach() for a no_grad() of the program's own, and the others switch the mode"),
    "one image through a small ResNet block": ("script | symbolic trace", CHECK),
    "one step through an LSTM": ("script | symbolic trace", CHECK),
    "one token through attention": ("script | symbolic", ATTENTION),
    "flatten by the product of sizes": ("script symbolic | trace", RANK),
    "levels of a pyramid from the size": ("script symbolic | trace", RANK),
    "batch norm": ("script | symbolic trace", CHECK),
    "attention's dropout": ("script | symbolic", ATTENTION),
    "a codebook that follows when training": ("script | symbolic | trace", DTYPE + "; a symbolic trace writes x.to(y.dtype) as x.to(y)"),
    "a property that computes, with a setter": ("script | symbolic trace", WRITTEN),
    "an array of constants in a computation": ("symbolic | trace", CONSTANT),
}
