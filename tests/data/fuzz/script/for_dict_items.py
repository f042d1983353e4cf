def for_dict_items(d: Dict[str, int]):
    s = ""
    for k, v in d.items():
        s += k + str(v)
    return s
