"""Modules of vit-pytorch."""

from registry import add, img, of

I = img(sizes=((2, 32), (3, 32)))
B = {"image_size": 32, "patch_size": 8, "num_classes": 5, "dim": 32, "depth": 2, "heads": 2, "mlp_dim": 64}


def m(mod, cls="ViT", drop=(), **kw):
    return of("vit_pytorch." + mod, cls, **{k: v for k, v in {**B, **kw}.items() if k not in drop})


add("ViT", m("vit"), I)
add("SimpleViT", m("simple_vit", "SimpleViT"), I)
add("SimpleViT qk norm", m("simple_vit_with_qk_norm", "SimpleViT"), I)
add("SimpleViT registers", m("simple_vit_with_register_tokens", "SimpleViT"), I)
add(
    "SimpleViT 1d",
    of("vit_pytorch.vit_1d", "ViT", seq_len=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=64),
    lambda d, k: (d.n(2 + k, 3, 32),),
)
add(
    "ViT 3d",
    of(
        "vit_pytorch.vit_3d",
        "ViT",
        image_size=16,
        image_patch_size=8,
        frames=4,
        frame_patch_size=2,
        num_classes=5,
        dim=32,
        depth=1,
        heads=2,
        mlp_dim=64,
    ),
    lambda d, k: (d.n(2 + k, 3, 4, 16, 16),),
)
add("DeepViT", m("deepvit", "DeepViT"), I)
add(
    "CaiT",
    of("vit_pytorch.cait", "CaiT", image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, cls_depth=1, heads=2, mlp_dim=64),
    I,
)
add(
    "T2TViT",
    of("vit_pytorch.t2t", "T2TViT", dim=32, image_size=32, depth=1, heads=2, mlp_dim=64, num_classes=5, t2t_layers=((7, 4), (3, 2))),
    I,
)
add(
    "CCT",
    of(
        "vit_pytorch.cct",
        "CCT",
        img_size=(32, 32),
        embedding_dim=32,
        n_conv_layers=1,
        kernel_size=3,
        stride=2,
        padding=1,
        pooling_kernel_size=3,
        pooling_stride=2,
        pooling_padding=1,
        num_layers=2,
        num_heads=2,
        mlp_ratio=2.0,
        num_classes=5,
        positional_embedding="learnable",
    ),
    I,
)
add(
    "CrossViT",
    of(
        "vit_pytorch.cross_vit",
        "CrossViT",
        image_size=32,
        num_classes=5,
        depth=1,
        sm_dim=16,
        sm_patch_size=8,
        sm_enc_depth=1,
        sm_enc_heads=2,
        sm_enc_mlp_dim=32,
        lg_dim=32,
        lg_patch_size=16,
        lg_enc_depth=1,
        lg_enc_heads=2,
        lg_enc_mlp_dim=32,
        cross_attn_depth=1,
        cross_attn_heads=2,
    ),
    I,
)
add(
    "PiT",
    of("vit_pytorch.pit", "PiT", image_size=32, patch_size=8, dim=32, num_classes=5, depth=(1, 1), heads=2, mlp_dim=64),
    I,
)
add(
    "LeViT",
    of("vit_pytorch.levit", "LeViT", image_size=64, num_classes=5, stages=2, dim=(16, 32), depth=1, heads=(2, 4), mlp_mult=2),
    img(sizes=((2, 64), (3, 64))),
)
add(
    "CvT",
    of("vit_pytorch.cvt", "CvT", num_classes=5, s1_emb_dim=8, s2_emb_dim=16, s3_emb_dim=16, s2_heads=1, s3_heads=1, s3_depth=1, s2_depth=1),
    img(),
)
add(
    "TwinsSVT",
    of(
        "vit_pytorch.twins_svt",
        "TwinsSVT",
        num_classes=5,
        s1_emb_dim=8,
        s1_local_patch_size=4,
        s1_global_k=4,
        s2_emb_dim=8,
        s2_local_patch_size=4,
        s2_global_k=4,
        s3_emb_dim=8,
        s3_local_patch_size=2,
        s3_global_k=2,
        s3_depth=1,
        s4_emb_dim=8,
        s4_local_patch_size=1,
        s4_global_k=1,
        s4_depth=1,
    ),
    img(sizes=((1, 64), (2, 64))),
)
add(
    "RegionViT",
    of(
        "vit_pytorch.regionvit",
        "RegionViT",
        dim=(8, 8, 16, 16),
        depth=(1, 1, 1, 1),
        window_size=7,
        num_classes=5,
        tokenize_local_3_conv=False,
    ),
    img(sizes=((1, 224), (2, 224))),
)
add(
    "CrossFormer",
    of(
        "vit_pytorch.crossformer",
        "CrossFormer",
        num_classes=5,
        dim=(8, 16, 16, 32),
        depth=(1, 1, 1, 1),
        global_window_size=(4, 2, 2, 1),
        local_window_size=2,
    ),
    img(sizes=((1, 64), (2, 64))),
)
add(
    "ScalableViT",
    of(
        "vit_pytorch.scalable_vit",
        "ScalableViT",
        num_classes=5,
        dim=16,
        heads=(1, 1, 2, 2),
        depth=(1, 1, 1, 1),
        ssa_dim_key=(8, 8, 8, 8),
        reduction_factor=(4, 2, 2, 1),
        window_size=(16, 8, None, None),
    ),
    img(sizes=((1, 64), (2, 64))),
)
add(
    "SepViT",
    of("vit_pytorch.sep_vit", "SepViT", num_classes=5, dim=16, dim_head=8, heads=(1, 2), depth=(1, 1), window_size=4, dropout=0.1),
    img(sizes=((1, 64), (2, 64))),
)
add(
    "MaxViT",
    of(
        "vit_pytorch.max_vit",
        "MaxViT",
        num_classes=5,
        dim_conv_stem=16,
        dim=16,
        dim_head=8,
        depth=(1, 1),
        window_size=4,
        mbconv_expansion_rate=2,
        mbconv_shrinkage_rate=0.25,
    ),
    img(sizes=((1, 32), (2, 32))),
)
add(
    "NesT",
    of("vit_pytorch.nest", "NesT", image_size=32, patch_size=4, dim=16, heads=2, num_hierarchies=2, block_repeats=(1, 1), num_classes=5),
    I,
)
add(
    "MobileViT",
    of(
        "vit_pytorch.mobile_vit",
        "MobileViT",
        image_size=(64, 64),
        dims=[16, 16, 24],
        channels=[8, 8, 16, 16, 16, 16, 16, 16, 16, 16, 32],
        num_classes=5,
    ),
    img(sizes=((1, 64), (2, 64))),
)
add(
    "XCiT",
    of("vit_pytorch.xcit", "XCiT", image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, cls_depth=1, heads=2, mlp_dim=64),
    I,
)
add(
    "ViViT",
    of(
        "vit_pytorch.vivit",
        "ViT",
        image_size=16,
        frames=4,
        image_patch_size=8,
        frame_patch_size=2,
        num_classes=5,
        dim=32,
        spatial_depth=1,
        temporal_depth=1,
        heads=2,
        mlp_dim=64,
    ),
    lambda d, k: (d.n(2 + k, 3, 4, 16, 16),),
)
add("ParallelViT", m("parallel_vit"), I)
add("LearnableMemoryViT", m("learnable_memory_vit"), I)
add("ViT small dataset", m("vit_for_small_dataset"), I)
add("ViT patch dropout", m("vit_with_patch_dropout", patch_dropout=0.2), I)
add(
    "ATSViT",
    of(
        "vit_pytorch.ats_vit",
        "ViT",
        image_size=32,
        patch_size=8,
        num_classes=5,
        dim=32,
        depth=2,
        max_tokens_per_depth=(8, 4),
        heads=2,
        mlp_dim=64,
    ),
    I,
)
add("SimMIM", lambda: of("vit_pytorch.simmim", "SimMIM", encoder=m("vit")(), masking_ratio=0.5)(), I)
add(
    "MAE",
    lambda: of(
        "vit_pytorch.mae", "MAE", encoder=m("vit", pool="cls")(), masking_ratio=0.75, decoder_dim=32, decoder_depth=1, decoder_heads=2
    )(),
    I,
)
add(
    "LookViT",
    of("vit_pytorch.look_vit", "LookViT", dim=32, image_size=32, num_classes=5, patch_size=16, highres_patch_size=8, depth=1, heads=2),
    I,
)
add(
    "NaViT",
    of("vit_pytorch.na_vit_nested_tensor", "NaViT", image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, mlp_dim=64),
    lambda d, k: ([d.n(3, 32, 16), d.n(3, 16, 16 + 16 * k)],),
)
add(
    "JumboViT",
    of(
        "vit_pytorch.jumbo_vit",
        "JumboViT",
        num_classes=5,
        image_size=32,
        patch_size=8,
        dim=16,
        depth=1,
        heads=2,
        mlp_dim=32,
        num_jumbo_cls=1,
        jumbo_cls_k=2,
        jumbo_ff_mult=1,
    ),
    I,
)
