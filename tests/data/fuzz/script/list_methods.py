def list_methods(v: List[int]):
    v.append(9)
    v.extend([1, 2])
    v.insert(1, 7)
    v.reverse()
    return v, len(v)
