"""The programs of programs.py whose captures have several hashes: which captures agree ("a b | c": a and b have one hash, and c another), and why. hashes.py
prints the counts, and tests/python/test_hashes_of_captures.py checks that the list is complete and that nothing in it has become equal.

Each of them is another program in each capture: it takes other inputs, asks something when it runs that another one has asked when it was captured, or does
something that the graph of another one leaves to what stands beside the graph. None is one program written in two ways."""

RANK = (
    "a trace is of its example's number of dims, which the program asks for or counts sizes by: the answer is no part of its graph, and another number of dims is "
    "another trace. The others ask when they run"
)
DTYPE = "a trace is of its example's dtypes: x.dtype in the program was the example's, and another dtype is another trace. The others read the dtype when they run"
WRITTEN = "the graph of a script assigns the attribute and reads it again; a trace and a symbolic trace have the value, and their call assigns it beside the graph"
BATCH = "nn.MultiheadAttention asks whether its input has a batch: a script when it runs, and the operators of a symbolic trace are for inputs with one"

DIFFERENT: dict[str, tuple[str, str]] = {
    "tuples and lists, nested": ("symbolic | trace", "other inputs: a symbolic trace takes one tensor where the example is a list of them, since nothing says otherwise"),
    "a number as argument": ("script symbolic | trace", "other inputs: a trace takes a number, as its example is, and the others take a tensor"),
    "print of a tensor": (
        "script | symbolic | trace",
        "other texts: a script prints the size as a list, as PyTorch's does, and the others as torch.Size([2]); a trace is of one dim, where a symbolic trace makes the text of any",
    ),
    "dynamic time warping of two sequences": (
        "script | symbolic trace",
        "torch.tensor(inf) of a script has the default dtype of the call, and that of the others is a constant in the default dtype of the capture, as in PyTorch",
    ),
    "k-means until the centers rest": ("script symbolic | trace", DTYPE),
    "optional mask": ("script | symbolic | trace", "other inputs: a trace has none for an argument that is None; a symbolic trace takes a mask; a script takes both"),
    "two dims or three": ("script symbolic | trace", RANK),
    "match on the rank": ("script symbolic | trace", RANK),
    "attribute set in a way": ("script | symbolic trace", WRITTEN),
    "one step through an LSTM": (
        "script | symbolic trace",
        "nn.LSTM asks whether its input has a batch: a script when it runs; a trace has its example, and the operators of a symbolic trace are for inputs with one",
    ),
    "one token through attention": ("script | symbolic", BATCH),
    "flatten by the product of sizes": ("script symbolic | trace", RANK),
    "levels of a pyramid from the size": ("script symbolic | trace", RANK + "; here the last of three sizes has the number 2 in a trace"),
    "attention's dropout": ("script | symbolic", BATCH),
    "a codebook that follows when training": ("script symbolic | trace", DTYPE),
    "a property that computes, with a setter": ("script | symbolic trace", WRITTEN),
}
