// Coefficients for the functions in special_functions.cpp: Chebyshev series (c0 / 2 + c1 T1(y) + ..) and one power series. tools/special_tables.py computes
// them from the definitions, with 40 digits, and prints them.
#pragma once

namespace monograph {

// kI0Near, kI1Near: exp(-x) I0(x) and exp(-x) I1(x) / x for 0 <= x <= 8, as series in y = x / 4 - 1.
// kI0Far, kI1Far: sqrt(x) exp(-x) I0(x) and sqrt(x) exp(-x) I1(x) for x >= 8, as series in y = 16 / x - 1.
// kLogErfcx: log(erfcx(u) / t) with t = 2 / (2 + u), for u >= 0, as a series in y = 2 t - 1.
// kLogGamma: lgamma(2 + z) / z for |z| <= 1/2, by powers of z.
inline constexpr double kI0Near[] = {
    0x1.5a84e9035a22ap-1,   -0x1.37febc057cd8dp-2,  0x1.5f7ac77ac88c0p-3,   -0x1.84b70342d06eap-4,  0x1.93e8acea8a32dp-5,
    -0x1.84e9ef121b6f0p-6,  0x1.59961f3dde3ddp-7,   -0x1.1b65e201aa849p-8,  0x1.adc758a12100ep-10,  -0x1.2e2fd1f15eb52p-11,
    0x1.8b51b74107cabp-13,  -0x1.e2b2659c41d5ap-15, 0x1.13f58be9a2859p-16,  -0x1.2866fcba56427p-18, 0x1.2bf24978cf4acp-20,
    -0x1.1ec638f227f8dp-22, 0x1.03b769d4d6435p-24,  -0x1.beaf68c0b30abp-27, 0x1.6d903a454cb34p-29,  -0x1.1d4fe13ae9556p-31,
    0x1.a98becc743c10p-34,  -0x1.2fc957a946abcp-36, 0x1.9fe2fe19bd324p-39,  -0x1.1164c62ee1af0p-41, 0x1.59b464b262627p-44,
    -0x1.a5022c297fbebp-47, 0x1.ee6d893f65ebap-50,  -0x1.184eb721ebbb4p-52, 0x1.33362977da589p-55,  -0x1.45cb72134d0efp-58};
inline constexpr double kI1Near[] = {
    0x1.02a63724a7ffap-2,   -0x1.694d10469192ep-3,  0x1.a46dad536f53cp-4,   -0x1.b1bbc537c9ebcp-5,  0x1.951e3e7bb2349p-6,
    -0x1.5a29f7913a26ap-7,  0x1.1065349d3a1b4p-8,   -0x1.8cc620b3cd4a4p-10, 0x1.0c95db6c6df7dp-11,  -0x1.533cad3d694fep-13,
    0x1.911b542c70d0bp-15,  -0x1.bd5f9b8debbcfp-17, 0x1.d1c4ed511afc5p-19,  -0x1.cc0798363992ap-21, 0x1.ae344b347d108p-23,
    -0x1.7dd3e24b8c3e8p-25, 0x1.4258e02395010p-27,  -0x1.0361b28ea67e6p-29, 0x1.8ea34b43fdf6cp-32,  -0x1.2510397eb07dep-34,
    0x1.9cee2b21d3154p-37,  -0x1.173835fb70366p-39, 0x1.6af784779d955p-42,  -0x1.c628e1c8f0b3bp-45, 0x1.11d7f0615290cp-47,
    -0x1.3eaaa7e0d1573p-50, 0x1.663e3e593bfacp-53,  -0x1.857d0c38a0576p-56, 0x1.99f2a0c3c4014p-59};
inline constexpr double kI0Far[] = {
    0x1.9be62aca809cbp-1,   0x1.b998ca2e59049p-9,   0x1.20fa378999e52p-14, 0x1.8412bc101c586p-19,  0x1.b8007d9cd616ep-23,
    0x1.8569280d6d56dp-26,  0x1.d2c64a9225b87p-29,  0x1.0f9ccc0f46f75p-31, 0x1.a24feabe8004fp-37,  -0x1.1511d08397425p-35,
    -0x1.d0fd7357e7bf2p-37, -0x1.f904303178d66p-40, 0x1.94347fa268cecp-41, 0x1.b1c8c6b83c073p-42,  0x1.156ff0d5fc545p-46,
    -0x1.75d99cf68bb32p-45, -0x1.583fe7e65629ap-47, 0x1.12a919094e6d7p-48, 0x1.fee7da3eafb1fp-50,  -0x1.8aee7d908de38p-52,
    -0x1.4600babd21fe4p-52, 0x1.3f3dd076041cdp-55,  0x1.9be1812d98421p-55, -0x1.646da66119130p-58, -0x1.0adb754ca8b19p-57};
inline constexpr double kI1Far[] = {
    0x1.8ea18b55b1514p-1,   -0x1.3fda053fcdb4cp-7,  -0x1.cfd7f804aa9a6p-14, -0x1.048df49ca0373p-18, -0x1.0dbfd2e9e5443p-22,
    -0x1.c415394bb46c1p-26, -0x1.0790b9ad53528p-28, -0x1.334ca5423dd80p-31, -0x1.4dcf9d4504c0cp-36, 0x1.1e1a1f1587865p-35,
    0x1.f101f653c457bp-37,  0x1.1e7d3f6439fa3p-39,  -0x1.953e1076ab493p-41, -0x1.cbc458e73e255p-42, -0x1.7a9482e6d22a0p-46,
    0x1.80d3c26b3281ep-45,  0x1.776e1762d31e8p-47,  -0x1.12db5138afbc7p-48, -0x1.0efcd8bc4d22ap-49, 0x1.7d68e5f04a2d1p-52,
    0x1.55915fceb588ap-52,  -0x1.2806c9c773320p-55, -0x1.acea3b2532277p-55, 0x1.45b8aea87b950p-58,  0x1.1556db352e8e6p-57};
inline constexpr double kLogErfcx[] = {-0x1.4d7ab6d479a61p+0,  0x1.48b043be61cf8p-1,   0x1.3f1a3fdd047b2p-6,   -0x1.394fcca79fc6cp-7,
                                       -0x1.f049e06073f95p-11, 0x1.80a8ba56aa79fp-12,  0x1.64b62509d78e2p-15,  -0x1.5437d46df3674p-16,
                                       -0x1.b4045bf3ab82ep-20, 0x1.5df28bff56fe4p-20,  0x1.0c75d14776c3ep-26,  -0x1.6e18471000f52p-24,
                                       0x1.c0ac572395fb0p-28,  0x1.5bace97b36ccfp-28,  -0x1.10810cfbab426p-30, -0x1.f3fb2f5c75c6cp-33,
                                       0x1.a8453647a8215p-34,  0x1.50ee4fe907594p-39,  -0x1.e48fa4ddcffcfp-38, 0x1.f78d4bbe8305dp-41,
                                       0x1.6082aa4eb3ddfp-42,  -0x1.fb97bc18977ccp-44, 0x1.b75e11fe90ba6p-52,  0x1.00062e98e5a55p-47,
                                       -0x1.b6fba552f88ccp-50, -0x1.b4266370b4162p-54, 0x1.170fcb52ea588p-53,  -0x1.03ca93a8dfd09p-55};
inline constexpr double kLogGamma[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa6p-2,   -0x1.13e001a557607p-4,  0x1.51322ac7d8483p-6,   -0x1.e404fc218f5f2p-8,
    0x1.7add6eadb6c30p-9,   -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11,  -0x1.d3fd4c76d2fc8p-13, 0x1.a127b0f17d65ap-14,
    -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16,  -0x1.3cbc963ce2243p-17, 0x1.2597a39f34aacp-18,  -0x1.11b2eb7679541p-19,
    0x1.0064cdeb22f0fp-20,  -0x1.e2600d93cfd2fp-22, 0x1.c76bbb3f07a4dp-23,  -0x1.af5a6cbbf8a97p-24, 0x1.99b93c2070b0fp-25,
    -0x1.862c734df3eacp-26, 0x1.7469daccfadcdp-27,  -0x1.6434a8447aeadp-28, 0x1.555a877ffd2c3p-29,  -0x1.47b1679258d0ep-30,
    0x1.3b15d2b2fc10cp-31,  -0x1.2f69a9fabe3e0p-32, 0x1.24932a337434cp-33,  -0x1.1a7c26ec2523cp-34, 0x1.11116e693ed98p-35,
    -0x1.08424cbc543d8p-36, 0x1.000026e3f644fp-37,  -0x1.f07c514fc9f0ap-39};

}  // namespace monograph
