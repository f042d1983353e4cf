def type_comment_of_two(x, n):
    # type: (Tensor, int) -> Tensor
    return x * n
