def tensor_index(x):
    return x[0], x[-1], x[0, 1], x[:, 1], x[1:], x[..., 0], x[:, None], x[0:2, 1:3], x[::2]
