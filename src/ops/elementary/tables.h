// Written by tools/elementary/minimax.py, which says what each table approximates and how; the power of two is its relative error.
#pragma once

#include <cstdint>

namespace monograph::tables {

inline constexpr double kExpF32[] = {0x1.fffffc0000000p-2, 0x1.55548c0000000p-3, 0x1.55585a0000000p-5, 0x1.123d760000000p-7,
                                     0x1.6ab9740000000p-10};  // 2^-28.2
inline constexpr double kExpF64[] = {0x1.000000000000ap-1,  0x1.55555555554f8p-3,  0x1.55555555505c9p-5,  0x1.1111111127e62p-7,
                                     0x1.6c16c184cad15p-10, 0x1.a01a012b1fa8cp-13, 0x1.a019986443f09p-16, 0x1.71df15ca551efp-19,
                                     0x1.28aeeb876c3b3p-22, 0x1.adbb391701f7fp-26};  // 2^-56.7
inline constexpr double kExp2F32[] = {0x1.62e4320000000p-1, 0x1.ebfbe60000000p-3,  0x1.c6ada80000000p-5,
                                      0x1.3b21c60000000p-7, 0x1.5fbd400000000p-10, 0x1.4bdacc0000000p-13};  // 2^-27.5
inline constexpr double kExp2F64[] = {0x1.62e42fefa39f3p-1,  0x1.ebfbdff82c599p-3,  0x1.c6b08d7048d5dp-5,  0x1.3b2ab6fba1b48p-7,
                                      0x1.5d87fe7c19a0cp-10, 0x1.4309130a27288p-13, 0x1.ffcbec5e207e8p-17, 0x1.62bfd24eb502cp-20,
                                      0x1.b5459a8cf5f88p-24, 0x1.e60a7609770b3p-28, 0x1.b97dc33113246p-32};  // 2^-54.5
inline constexpr double kExp2Half[] = {0x1.62e431173c6d1p-1, 0x1.ebfbe2c6b4691p-3,  0x1.c6ae72d8519e7p-5,
                                       0x1.3b270d48275a1p-7, 0x1.5f72796429e20p-10, 0x1.470c0fa60a4b8p-13};  // 2^-28.5
inline constexpr double kLogF32[] = {-0x1.fffff80000000p-2, 0x1.5555500000000p-2,  -0x1.0004300000000p-2,
                                     0x1.99a4860000000p-3,  -0x1.5425f80000000p-3, 0x1.2264a00000000p-3,
                                     -0x1.0f36160000000p-3, 0x1.08a0d20000000p-3,  -0x1.391a5a0000000p-4};  // 2^-27.1
inline constexpr double kAtanhF64[] = {0x1.5555555555592p-1, 0x1.999999997ff4fp-2, 0x1.24924941dd19ap-2, 0x1.c71c52182f5fep-3,
                                       0x1.74663c1ac95fcp-3, 0x1.39a1fdf4a6d8ap-3, 0x1.2f02ea21d108ep-3};  // 2^-59.5
inline constexpr double kAtanhHalf[] = {0x1.555554fddd6f1p-1, 0x1.999a7a28b3786p-2, 0x1.2438ed10c3eafp-2, 0x1.e2f389ec3d575p-3};  // 2^-37.6
inline constexpr double kAtanhPow[] = {0x1.9999999999996p-2, 0x1.2492492492f50p-2, 0x1.c71c71c596bc1p-3, 0x1.745d18293e273p-3,
                                       0x1.3b1364d0139e4p-3, 0x1.11206e28265bbp-3, 0x1.de3d99442c06cp-4, 0x1.eac477045b8b7p-4};  // 2^-73.5
inline constexpr double kSinF32[] = {-0x1.5555460000000p-3, 0x1.1107740000000p-7, -0x1.9951e00000000p-13};  // 2^-27.9
inline constexpr double kSinF64[] = {-0x1.5555555555555p-3,  0x1.1111111111069p-7,  -0x1.a01a019ffe525p-13, 0x1.71de3a33a5da7p-19,
                                     -0x1.ae642c52650b4p-26, 0x1.6109be0f1b0dcp-33, -0x1.9ffdd68488be8p-41};  // 2^-63.2
inline constexpr double kSinHalf[] = {-0x1.5555554c592bbp-3, 0x1.111108586f786p-7, -0x1.a00f70ad81f5dp-13,
                                      0x1.6cce7c778ab08p-19};  // 2^-37.5
inline constexpr double kCosF32[] = {0x1.55554a0000000p-5, -0x1.6c0c280000000p-10, 0x1.99e80c0000000p-16};  // 2^-33.0
inline constexpr double kCosF64[] = {0x1.555555555554bp-5,   -0x1.6c16c16c14fffp-10, 0x1.a01a019c8b80cp-16,
                                     -0x1.27e4f7ee1f9f9p-22, 0x1.1ee9d9075060dp-29,  -0x1.8fa4e3e6bff8bp-37};  // 2^-63.9
inline constexpr double kCosHalf[] = {0x1.555549f9dc6adp-5, -0x1.6c0c250e13289p-10, 0x1.99e75bb215355p-16};  // 2^-33.0
inline constexpr double kAsinF32[] = {0x1.5555260000000p-3, 0x1.3349360000000p-4, 0x1.6a58e00000000p-5,
                                      0x1.16a4260000000p-5, 0x1.b92dc60000000p-8, 0x1.8519040000000p-5};  // 2^-29.0
inline constexpr double kAsinF64[] = {0x1.55555555554d8p-3,  0x1.33333333446fcp-4, 0x1.6db6db60715c3p-5,  0x1.f1c72199dc3c7p-6,
                                      0x1.6e8b0b325ae0dp-6,  0x1.1c5a04f999a4bp-6, 0x1.c87774f0a33bep-7,  0x1.84c248ee6224ep-7,
                                      0x1.fc9d3f97304d1p-8,  0x1.1eb83276bfeadp-6, -0x1.639a3b1cd37efp-6, 0x1.19395df5a122ap-4,
                                      -0x1.3a90ab3267780p-4, 0x1.ea37717391dadp-5};  // 2^-57.8
inline constexpr double kAtanF32[] = {-0x1.55553e0000000p-2, 0x1.9991e40000000p-3,  -0x1.2420840000000p-3,
                                      0x1.c08c1a0000000p-4,  -0x1.5808160000000p-4, 0x1.da24e00000000p-5,
                                      -0x1.fd70140000000p-6, 0x1.64117e0000000p-7,  -0x1.d32f3c0000000p-10};  // 2^-28.5
inline constexpr double kAtanF64[] = {-0x1.555555555553dp-2, 0x1.9999999995864p-3, -0x1.24924922ad1d5p-3, 0x1.c71c70e5ee6cbp-4,
                                      -0x1.745cf8d838835p-4, 0x1.3b1118ccd0124p-4, -0x1.10ebb4a64952cp-4, 0x1.df0f1606711c5p-5,
                                      -0x1.9cd1ce1f7f3adp-5, 0x1.37d34bc2ecf70p-5, -0x1.256546c14a51fp-6};  // 2^-59.4
inline constexpr double kAtanHalf[] = {-0x1.555549266bf12p-2, 0x1.9991954201921p-3, -0x1.23b5125572347p-3, 0x1.b1eb34b42bb95p-4,
                                       -0x1.f1e86b1c6e63ap-5};  // 2^-30.5
inline constexpr double kSinhF32[] = {0x1.5555560000000p-3, 0x1.1110e00000000p-7, 0x1.a022bc0000000p-13, 0x1.756c1e0000000p-19};  // 2^-31.6
inline constexpr double kSinhF64[] = {0x1.5555555555556p-3,  0x1.111111111101ep-7,  0x1.a01a01a03726cp-13, 0x1.71de3a3b06655p-19,
                                      0x1.ae646ff57efa4p-26, 0x1.6116f46067edfp-33, 0x1.b5c8b08bc563dp-41};  // 2^-61.8
inline constexpr double kTanhF32[] = {-0x1.55554a0000000p-2, 0x1.110cee0000000p-3, -0x1.b91e7e0000000p-5, 0x1.58e5180000000p-6,
                                      -0x1.9921a00000000p-8};  // 2^-29.7
inline constexpr double kTanhF64[] = {-0x1.555555555554fp-2,  0x1.1111111110790p-3,  -0x1.ba1ba1b97cc5ap-5,  0x1.664f4859489f8p-6,
                                      -0x1.226e2f0fbd75cp-7,  0x1.d6d29ae39baa2p-9,  -0x1.7d8fcb24c6482p-10, 0x1.34836b822c112p-11,
                                      -0x1.e96d352131346p-13, 0x1.5d6d3aa791e73p-14, -0x1.46ffe90b08127p-16};  // 2^-60.6
inline constexpr double kErfSmallF64[] = {0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042bddp-4,  -0x1.b82ce3128899bp-6,
                                          0x1.565bcd0e64ab9p-8,  -0x1.c02db3fed8fcep-11, 0x1.f9a326bfb80a3p-14, -0x1.f4d255e15e5aap-17,
                                          0x1.b9e64d0958141p-20, -0x1.5f6d6b638ad1ep-23, 0x1.fc41182c57891p-27, -0x1.4e55d1f9efbdep-30,
                                          0x1.7ecc162671aa6p-34, -0x1.292940599abc8p-38};  // 2^-56.3
inline constexpr double kErfF32[] = {0x1.06eba80000000p-3,   0x1.45f3000000000p-1,   0x1.a4f8c40000000p-4,
                                     -0x1.39b7ce0000000p-6,  -0x1.636ee00000000p-13, 0x1.b7420e0000000p-10,
                                     -0x1.4e24bc0000000p-11, 0x1.f27af80000000p-14,  -0x1.3aef440000000p-17};  // 2^-27.8
inline constexpr double kErfcF64[] = {0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd4b7p-7,   0x1.16ecefcfa52d4p-4,
                                      -0x1.9ddb23c3e770bp-4,  0x1.7fee004e1459ep-4,   -0x1.0fb06dfe7434fp-4,  0x1.3079edf630da4p-5,
                                      -0x1.0962387bedd99p-6,  0x1.49c672a370770p-8,   -0x1.8d4aa2f8a99a5p-11, -0x1.a1df3f5c0f1a2p-13,
                                      0x1.3be0f026f8086p-13,  -0x1.99558bb9df5b4p-16, -0x1.78a7f9b551b96p-17, 0x1.7efbafa319e82p-18,
                                      0x1.427c539e8c974p-22,  -0x1.b84acd46c9da5p-21, 0x1.1cf5e357f6b25p-24,  0x1.bd9f55ebf0dd3p-24,
                                      -0x1.9b779ba082114p-27, -0x1.51abbbae22cb2p-27};  // 2^-54.0
inline constexpr double kErfcHalf[] = {0x1.3ba59170dd908p+0,  -0x1.1df1af53a34bfp-3,  0x1.f7f52202e8aa1p-7,
                                       0x1.16edcf6289c3dp-4,  -0x1.9dd81ba128913p-4,  0x1.7fe353b769c32p-4,
                                       -0x1.0fd6a93750c97p-4, 0x1.30bc84ef550eep-5,   -0x1.06478efcfc8d5p-6,
                                       0x1.4f618d1f557bbp-8,  -0x1.181fb74d73cf7p-10, -0x1.45c5ccb150212p-11};  // 2^-29.8
inline constexpr double kErfinvNearF32[] = {0x1.db29f20000000p-3,   0x1.7a796e0000000p-7,  -0x1.3274600000000p-9,  -0x1.010b800000000p-13,
                                            0x1.56f3c60000000p-15,  0x1.7c159e0000000p-18, -0x1.48fe0e0000000p-19, 0x1.4458ca0000000p-22,
                                            -0x1.1a9aae0000000p-26, 0x1.522be60000000p-32};  // 2^-28.6
inline constexpr double kErfinvNearF64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13df7p-3,   -0x1.8b6c33114ee40p-8,  -0x1.8457694834111p-11, 0x1.879c2a20d6b9dp-13,
    -0x1.d1d1f7cb07f66p-17, -0x1.6e8a53ee33fedp-20, 0x1.c6b4f8af30979p-22,  -0x1.f36ce54239c6fp-26, -0x1.1a9eb6f379adbp-28,
    0x1.20f4eb2745605p-30,  -0x1.dc3dd2d39773ap-35, -0x1.c8960cad410c6p-37, 0x1.723082ba283dap-39,  -0x1.6d8eb9a33bf03p-44,
    -0x1.6832262b20cdcp-45, 0x1.db32b6ce96eafp-48,  -0x1.8b5d9dd529440p-55, -0x1.2bd9711c37d54p-53, 0x1.22b7707847884p-56,
    0x1.51c4d5685843ep-60,  -0x1.a61ec239fb78bp-62, -0x1.30f0680e87dd0p-70, 0x1.fe20d57de0c49p-69};  // 2^-54.5
inline constexpr double kErfinvMiddleF32[] = {-0x1.555c400000000p-3,  0x1.e769c60000000p-9,  0x1.cdeed20000000p-8,  -0x1.5b5ce80000000p-8,
                                              0x1.f061bc0000000p-9,   -0x1.4ae9060000000p-9, 0x1.524bd00000000p-10, -0x1.4b81a80000000p-12,
                                              -0x1.2c74ae0000000p-13, 0x1.05c91c0000000p-13, -0x1.0dbb4c0000000p-16};  // 2^-28.0
inline constexpr double kErfinvMiddleF64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d54p+0,   0x1.5ffcfe5b6cdd7p-8,   -0x1.ebadabb9fcb9cp-9,  0x1.468eeca9402f8p-9,
    -0x1.ba9240da40987p-10, 0x1.f3cc545f40ad4p-11,  -0x1.7448bc4bd8b30p-12, 0x1.932e8d71d57a9p-16,  0x1.1e6aa91c2678ap-14,
    -0x1.8cf45b5c2b93ap-15, 0x1.a2452c87259acp-17,  0x1.89989c7effc49p-19,  -0x1.0b928e5dfefb2p-18, 0x1.8dc0c05f03088p-20,
    -0x1.a1f461d639c7bp-26, -0x1.07d7719a2ac1ap-22, 0x1.10a60c59ca153p-23,  -0x1.6416959de5f02p-26, -0x1.90c95c3251e6fp-27,
    0x1.0597e797fb7e1p-27,  -0x1.51cd86a3ea1d9p-30};  // 2^-53.9
inline constexpr double kErfinvFarF64[] = {0x1.3664ddd1ad7fbp+2,   0x1.02a30d1fba111p+0,   -0x1.22ea5df0dc871p-13, -0x1.c2f36aa381fcfp-13,
                                           0x1.3ebf4ec962d8cp-14,  -0x1.4a348f407bbc4p-16, 0x1.2fbd1d46ffebbp-18,  -0x1.0a90a44aa5a8bp-20,
                                           0x1.ebced2d892bf3p-23,  -0x1.221d95cc28d51p-24, 0x1.f45b2fcfc7a1ap-26,  -0x1.065710d22dd56p-26,
                                           0x1.069d0fe11090fp-27,  -0x1.daf63c116dc8dp-29, 0x1.99d72c5e91911p-30,  -0x1.ea62897710be2p-32,
                                           -0x1.945964ed73493p-36, 0x1.89a8620272dafp-35};  // 2^-53.3
inline constexpr double kNormalF32P[] = {0x1.32572a0000000p+18, 0x1.72867c0000000p+14, 0x1.a8aed40000000p+11, 0x1.ad11420000000p+6,
                                         0x1.06578a0000000p+2};  // 2^-27.0
inline constexpr double kNormalF32Q[] = {0x1.934e880000000p+19, 0x1.9462480000000p+17, 0x1.6f3f7c0000000p+14,
                                         0x1.8160d40000000p+10, 0x1.e0bcb40000000p+5,  0x1.000p+0};  // 2^-27.0
inline constexpr double kNormalF32C = 0x1.39db4e0000000p-6;
inline constexpr uint64_t kTwoOverPiF32[] = {0xa2f9836e4e44,     0x836e4e441529fc27, 0x1529fc2757d1f534,
                                             0x57d1f534ddc0db62, 0xddc0db6295993c43, 0x95993c439041fe51};
inline constexpr uint64_t kTwoOverPiF64[] = {0xa2f9836e,         0x4e441529fc2757d1, 0xf534ddc0db629599, 0x3c439041fe5163ab,
                                             0xdebbc561b7246e3a, 0x424dd2e006492eea, 0x9d1921cfe1deb1c,  0xb129a73ee88235f5,
                                             0x2ebb4484e99c7026, 0xb45f7e413991d639, 0x835339f49c845f8b, 0xbdf9283b1ff897ff,
                                             0xde05980fef2f118b, 0x5a0a6d1f6d367ecf, 0x27cb09b74f463f66, 0x9e5fea2d7527bac7,
                                             0xebe5f17b3d0739f7, 0x8a5292ea6bfb5fb1, 0x1f8d5d0856033046};
inline constexpr double kLn2F32[] = {0x1.62e4300000000p-1, -0x1.05c6100000000p-29, -0x1.950d880000000p-54};
inline constexpr double kLn2F64[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56, 0x1.7b57a079a1934p-111};
inline constexpr double kPiHalfF32[] = {0x1.921fb60000000p+0, -0x1.777a5c0000000p-25, -0x1.ee59da0000000p-50};
inline constexpr double kPiHalfF64[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
inline constexpr double kLog2EF32[] = {0x1.7154760000000p+0, 0x1.4ae0c00000000p-26, -0x1.e888300000000p-52};
inline constexpr double kLog2EF64[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, -0x1.60bb8a5442ab9p-110};
inline constexpr double kLog10EF32[] = {0x1.bcb7b20000000p-2, -0x1.5b235e0000000p-27, -0x1.cd59540000000p-54};
inline constexpr double kLog10EF64[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.ee191f71a3012p-112};
inline constexpr double kLog10Of2F32[] = {0x1.3441360000000p-2, -0x1.ec10c00000000p-27, -0x1.0cee0e0000000p-54};
inline constexpr double kLog10Of2F64[] = {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59, 0x1.22f04d5a618a8p-114};

}  // namespace monograph::tables
