// Coefficients for the functions in special_functions.cpp: Chebyshev series (c0 / 2 + c1 T1(y) + ..) and one power series. tools/special_tables.py computes
// them from the definitions, with 40 digits, and prints them.
#pragma once

namespace monograph {

// kI0Near, kI1Near: exp(-x) I0(x) and exp(-x) I1(x) / x for 0 <= x <= 8, as series in y = x / 4 - 1.
// kI0Far, kI1Far: sqrt(x) exp(-x) I0(x) and sqrt(x) exp(-x) I1(x) for x >= 8, as series in y = 16 / x - 1.
// kLogErfcx: log(erfcx(u) / t) with t = 2 / (2 + u), for u >= 0, as a series in y = 2 t - 1.
// kLogGamma: lgamma(2 + z) / z for |z| <= 1/2, by powers of z.
// kJ0Near, kJ1Near: J0(x) and J1(x) / x for 0 <= x <= 8, as series in y = x^2 / 32 - 1.
// kY0Near, kY1Near: the same of Y0(x) - 2/pi log(x) J0(x), and of Y1(x) - 2/pi (log(x) J1(x) - 1 / x).
// kBessel0Cosine, kBessel0Sine: P and x Q with J0(x) = sqrt(2 / (pi x)) (P cos(t) - Q sin(t)), t = x - pi/4, for x >= 8, in y = 128 / x^2 - 1. In
// kBessel1Cosine and kBessel1Sine they are those of J1, with t = x - 3/4 pi.
// kK0Near, kK1Near: K0(x) + log(x / 2) I0(x) and x (K1(x) - log(x / 2) I1(x)) for 0 <= x <= 2, in y = x^2 / 2 - 1.
// kK0Far, kK1Far: sqrt(x) exp(x) K0(x) and sqrt(x) exp(x) K1(x) for x >= 2, in y = 4 / x - 1.
// kAiryNear: Ai(x) for |x| <= 2, in y = x / 2.
// kAiryRight: x^(1/4) exp(z) Ai(x) for x >= 2, with z = 2/3 x^(3/2), in y = 2 z2 / z - 1, where z2 is the z of x = 2.
// kAiryCosine, kAirySine: P and z Q with Ai(-x) = pi^(-1/2) x^(-1/4) (P sin(z + pi/4) - Q cos(z + pi/4)) for x >= 2, in y = 2 (z2 / z)^2 - 1.
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
inline constexpr double kJ0Near[] = {0x1.4306e1f9314dbp-2,  -0x1.1dd989ce98ea2p-7,  0x1.0f8afb7d3a552p-2,  -0x1.7afa2e9c62a9ep-2,
                                     0x1.43b8af58b7ffap-3,  -0x1.1dd989ce98ea2p-5,  0x1.3bd46ccab9da0p-8,  -0x1.e300651cd3ae3p-12,
                                     0x1.104c067d74d17p-15, -0x1.d8f811cd3e853p-20, 0x1.46c4a4b32aa3bp-24, -0x1.703bda6758f6fp-29,
                                     0x1.593076e904d04p-34, -0x1.1192067e71726p-39, 0x1.73936aa3d0207p-45, -0x1.b5729d242acaep-51,
                                     0x1.c2c89ea282aaap-57};
inline constexpr double kY0Near[] = {-0x1.0f88700652ecbp-4,  -0x1.190fcad75eca2p-2, 0x1.6ea98ade961a1p-3,   0x1.0bd84f7777bd6p-2,
                                     -0x1.6b1d515347a69p-3,  0x1.82a2a1c96271fp-5,  -0x1.dd9fb881100e6p-8,  0x1.8ad9320695af0p-11,
                                     -0x1.d873fa854ed4dp-15, 0x1.ae5f9e7adde46p-19, -0x1.35649a4058471p-23, 0x1.68b1c63f94e89p-28,
                                     -0x1.5c457ea1daccep-33, 0x1.1b53ed8a54178p-38, -0x1.89f1fa5209ce6p-44, 0x1.d9b425efafdd8p-50,
                                     -0x1.f1a7711576130p-56};
inline constexpr double kBessel0Cosine[] = {0x1.ffb944543151ep+0,  -0x1.194ac5283c04ap-11, 0x1.9cbe8b7395851p-19, -0x1.bc26938a82ce2p-25,
                                            0x1.c03a8b38ca73cp-30, -0x1.59ddcc28538a8p-34, 0x1.6baf23642c655p-38, -0x1.e4a709e74825bp-42,
                                            0x1.85b481672b1eep-45, -0x1.6d432cb7153fep-48, 0x1.84fff80b613c2p-51, -0x1.cdb3179595bbdp-54,
                                            0x1.2cca86c6338d9p-56};
inline constexpr double kBessel0Sine[] = {-0x1.fdbbf76547cafp-3,  0x1.1ed40c7bf4761p-11, -0x1.8e1017183d060p-18, 0x1.34c3b3f0f3e19p-23,
                                          -0x1.8fc71e52a5280p-28, 0x1.7334b27ad2886p-32, -0x1.c34f407df8ba4p-36, 0x1.52763be90a889p-39,
                                          -0x1.2c827d7f6e2d5p-42, 0x1.329f0c1b6c666p-45, -0x1.5fa3147b301c9p-48, 0x1.bd9648f62c6b8p-51,
                                          -0x1.33cdb710c05d6p-53, 0x1.cab223df72976p-56, -0x1.6d757f20d1676p-58, 0x1.351cf3ac934b3p-60};
inline constexpr double kK0Near[] = {-0x1.12166e9d2f61fp-1, 0x1.608d881213db9p-2,  0x1.26bf6554a9085p-5,  0x1.4b82e75633d73p-10,
                                     0x1.7f900fe8cfca0p-16, 0x1.102bce7f95efcp-22, 0x1.05c1367e58a13p-29, 0x1.6c25c475120bep-37,
                                     0x1.7fb0ac384a073p-45, 0x1.3cee1e6b887dcp-53};
inline constexpr double kK0Far[] = {0x1.385bd9f4e6907p+1,  -0x1.019f72d4ff71ep-5,  0x1.9b891fca79342p-10, -0x1.0d797e7889f42p-13,
                                    0x1.d413fcc7470a9p-17, -0x1.ebb547f18d3a9p-20, 0x1.2915981e3e46fp-22, -0x1.905541b54f2afp-25,
                                    0x1.269a0033f428ep-27, -0x1.d29d5f22bf5e2p-30, 0x1.8956c819ff63dp-32, -0x1.5df95d2e7ca15p-34,
                                    0x1.46808475fbf4dp-36, -0x1.3dafc3f00540bp-38, 0x1.40fa32fcce645p-40, -0x1.4f87721a3b2dbp-42,
                                    0x1.69c4ecd913e48p-44, -0x1.9145ebaf9922fp-46, 0x1.c8d9c4a6808e8p-48, -0x1.0a690ed1130d0p-49,
                                    0x1.3dbf96cd7929dp-51, -0x1.82f947bd75936p-53, 0x1.e092e5c062a6ap-55, -0x1.2feccb331b557p-56};
inline constexpr double kJ1Near[] = {0x1.4bf5ae47a6150p-3,  -0x1.3119e17fdbffdp-3,  0x1.49b9fb3408e33p-3,  -0x1.52a8c7827daa8p-4,
                                     0x1.6bf2c1f5f71e1p-6,  -0x1.de030538b55b0p-9,  0x1.a8b56cedfe580p-12, -0x1.11188227a5012p-15,
                                     0x1.0a8a3a628fc7bp-19, -0x1.98f754605f635p-24, 0x1.fac17c7273311p-29, -0x1.030d00d42d6f4p-33,
                                     0x1.bcc0916376113p-39, -0x1.453d2b4e985cbp-44, 0x1.9a36afedba862p-50, -0x1.c2dff424052f8p-56};
inline constexpr double kY1Near[] = {0x1.4ca997b04b826p-8,   -0x1.07927e87fd36bp-6, -0x1.88db11a1e0337p-4,  0x1.59ea4fc627f66p-4,
                                     -0x1.d020c3798a51ap-6,  0x1.5aadc0f38e31dp-8,  -0x1.504ea6f6291cdp-11, 0x1.cde014f53622dp-15,
                                     -0x1.dadf80f6e35f9p-19, 0x1.7c45af600d3dcp-23, -0x1.e8a21e8e1cb71p-28, 0x1.01c33ee943bc5p-32,
                                     -0x1.c6f1d25aa2e2ap-38, 0x1.54fcf661706ffp-43, -0x1.b7b8e4b5d24fcp-49, 0x1.ed24ebd671b40p-55,
                                     -0x1.e58358b5996e3p-61};
inline constexpr double kBessel1Cosine[] = {0x1.003b2e82f5f12p+1,   0x1.d7545f75d7da9p-11, -0x1.0b9505ce79bbap-18, 0x1.0953cdc0829efp-24,
                                            -0x1.01454cf5d6ac0p-29, 0x1.83c5742be2cc3p-34, -0x1.9171afe32fc02p-38, 0x1.088a8b6783e50p-41,
                                            -0x1.a5ead8bea617fp-45, 0x1.88e8192bcb004p-48, -0x1.a045d1e6aa4e8p-51, 0x1.ebf5d803cd896p-54,
                                            -0x1.3f5b1671b84fbp-56};
inline constexpr double kBessel1Sine[] = {0x1.7f34213492af6p-1,  -0x1.93d0e4fa70662p-11, 0x1.eaa02bf61504bp-18, -0x1.681617e8645adp-23,
                                          0x1.c467999a69933p-28, -0x1.9c37875f5ebc0p-32, 0x1.eeb91abca8164p-36, -0x1.6f877e53fb185p-39,
                                          0x1.43f8057a1761fp-42, -0x1.48ac416e30219p-45, 0x1.772d4dd737bf2p-48, -0x1.d994b1fddb9f0p-51,
                                          0x1.46123a8bbc898p-53, -0x1.e48d4f144b8b2p-56, 0x1.811d207bb2e69p-58};
inline constexpr double kK1Near[] = {0x1.867a1361008cap+0,   -0x1.69a1b757b0dd4p-2,  -0x1.f637243c1db74p-4,  -0x1.c92939d7d4192p-8,
                                     -0x1.6ade2e5a3bd02p-13, -0x1.469b32c832e3ap-19, -0x1.7c41d145c31d0p-26, -0x1.3663bb84626cap-33,
                                     -0x1.77502ddd0e045p-41, -0x1.5dd517a0399e0p-49, -0x1.032283d3cda56p-57};
inline constexpr double kK1Far[] = {0x1.5c3d7aa062c8ap+1,   0x1.a9abef9e023fbp-4,  -0x1.76946be66b48ap-9,  0x1.9965888f6908ep-13,
                                    -0x1.44d711dcdb2e5p-16, 0x1.42fe31752d1b6p-19, -0x1.780528fada5c6p-22, 0x1.ed27c668fc461p-25,
                                    -0x1.637a49fe1e088p-27, 0x1.14f242a73d252p-29, -0x1.ccbc00365cf5fp-32, 0x1.956d008a43059p-34,
                                    -0x1.76b539401d12cp-36, 0x1.69ab846c05207p-38, -0x1.6adec61fc71a4p-40, 0x1.78ffa0409e616p-42,
                                    -0x1.94465d4c8014bp-44, 0x1.be3e9590877a3p-46, -0x1.f9d52362a3e00p-48, 0x1.25cedf006519fp-49,
                                    -0x1.5d2a3d9ce2a50p-51, 0x1.a7d5e4c65543cp-53, -0x1.0661525866f5ap-54, 0x1.4af1aa55c043fp-56};
inline constexpr double kAiryNear[] = {0x1.0e264d11ad203p-1,   -0x1.88bd607bd0258p-3,  -0x1.d8ddc713567b7p-4,  0x1.9ee4ac63d91bdp-4,
                                       -0x1.521236c75050ep-6,  -0x1.58f23593afb59p-8,  0x1.cd8c238b94cc6p-9,   -0x1.2184bc5d249dep-11,
                                       -0x1.6dd77cc357cdbp-14, 0x1.a33262e94ee69p-15,  -0x1.b9b78d183faa0p-18, -0x1.90d31c8bb3074p-21,
                                       0x1.9c016a61d23a2p-22,  -0x1.7c56ba983e78ap-25, -0x1.0c1c471028fd4p-28, 0x1.fafae8526f0d6p-30,
                                       -0x1.a47c10656d97fp-33, -0x1.e37b4419a46ddp-37, 0x1.ab1a51dd5dcb0p-38,  -0x1.43af56a7b0920p-41,
                                       -0x1.39ba94a63b25bp-45, 0x1.05be3c006d9b5p-46,  -0x1.6ef3b0198c9a6p-50, -0x1.330deeb9fbb58p-54,
                                       0x1.e7ac41a93a2b0p-56,  -0x1.3f1c5239f6fa4p-59};
inline constexpr double kAiryRight[] = {0x1.1c5c3ce461db6p-1,  -0x1.117ac734cd330p-8,  0x1.b178feb462e09p-13, -0x1.21ed5210da008p-16,
                                        0x1.02c75e35f8228p-19, -0x1.17cafb3489408p-22, 0x1.5c05cc6899545p-25, -0x1.e2908f6eeed19p-28,
                                        0x1.6d347d92d9072p-30, -0x1.294264bfef386p-32, 0x1.016303e9ba0c8p-34, -0x1.d63077b4724ddp-37,
                                        0x1.c20edbc16ef90p-39, -0x1.c10dffa6c0bc7p-41, 0x1.d106e9d4569adp-43, -0x1.f2020e119eeafp-45,
                                        0x1.12edf76a92e9ap-46, -0x1.3826e9dfcc1c7p-48, 0x1.6ba36a481aebep-50, -0x1.b1cc8eff6d68bp-52,
                                        0x1.088478347c3dfp-53, -0x1.4949a6837f498p-55, 0x1.a1df695e9c5c3p-57, -0x1.0df80d693b25cp-58};
inline constexpr double kAiryCosine[] = {
    0x1.fdd1c61283732p+0,   -0x1.06cd39a6d8bd2p-8,  0x1.c820568c30c90p-13,  -0x1.ad729825ea925p-16, 0x1.2a61c2f4e2ae3p-18,
    -0x1.07a540eecd526p-20, 0x1.12f6d2f8b80a2p-22,  -0x1.4431b677185dep-24, 0x1.a46d9651ba320p-26,  -0x1.264eb8b5abbc9p-27,
    0x1.b6ef756ad1053p-29,  -0x1.593e3ab9e42bdp-30, 0x1.1c4108a7d28fbp-31,  -0x1.e7101277dcf09p-33, 0x1.b023435224d19p-34,
    -0x1.8b817151a50bcp-35, 0x1.7432240009ba4p-36,  -0x1.672b7a36f51ebp-37, 0x1.62993eb08bfe8p-38,  -0x1.6575547e2de3fp-39,
    0x1.6f4d5247fa229p-40,  -0x1.8022af43b8d17p-41, 0x1.985bb7bb30092p-42,  -0x1.b8c02cacdfb9fp-43, 0x1.e27f1748798c0p-44,
    -0x1.0b9e7e16bf3f4p-44, 0x1.2c9561279b284p-45,  -0x1.55934ca9be9d1p-46, 0x1.88749145a1baap-47,  -0x1.c7a11d167e30ep-48,
    0x1.0b1a877a6679ap-48,  -0x1.3c1b5dfc8e028p-49, 0x1.796f4e469ff3cp-50,  -0x1.c67b9a0cd6ae5p-51, 0x1.13d74e96ba7bap-51,
    -0x1.516ad485bc617p-52, 0x1.9fc82fd9595c3p-53,  -0x1.01fb092756dbcp-53, 0x1.424d8b9b6e41fp-54,  -0x1.95461095e208fp-55,
    0x1.00637877b6d7ep-55,  -0x1.46572ca90e7c8p-56, 0x1.a1c55484b48f2p-57,  -0x1.0ce4703b1eb7cp-57};
inline constexpr double kAirySine[] = {
    0x1.0d1c656c9ae9ep-3,   -0x1.b9574f81d8c9bp-9,  0x1.486668fb0e603p-12,  -0x1.9bd62aa8502c7p-15, 0x1.5a13531a4e276p-17,
    -0x1.600364d3cfadap-19, 0x1.9a524fa2b90f6p-21,  -0x1.09215a75f1b70p-22, 0x1.73b34af9c0f0cp-24,  -0x1.166c0b71c3218p-25,
    0x1.b8d6239ee10d6p-27,  -0x1.6dcfdd7aa3fc9p-28, 0x1.3c2550f0a57a6p-29,  -0x1.1b1c26e6bfb00p-30, 0x1.059f26940f371p-31,
    -0x1.f148832272652p-33, 0x1.e4afb181ad16dp-34,  -0x1.e353b761daac8p-35, 0x1.ec1c891df9129p-36,  -0x1.feb43879503bbp-37,
    0x1.0db168569ed97p-37,  -0x1.218001b295a82p-38, 0x1.3b7a4d00e02dcp-39,  -0x1.5ca484b2219e5p-40, 0x1.86605b4adae21p-41,
    -0x1.ba818effdc696p-42, 0x1.fb6ac488dfe51p-43,  -0x1.261a6457c6ce2p-43, 0x1.5871a4c4b87acp-44,  -0x1.9755a6a4d0ea3p-45,
    0x1.e628a31158264p-46,  -0x1.24a9b2dade915p-46, 0x1.634cbc66f6ecbp-47,  -0x1.b2c510f337fcap-48, 0x1.0c061dffefb48p-48,
    -0x1.4cda2c9c3ce54p-49, 0x1.a039886402fa5p-50,  -0x1.05f794bcc72f5p-50, 0x1.4bdb58b2e1742p-51,  -0x1.a6f5fbd3545bap-52,
    0x1.0f1ee119fcfccp-52,  -0x1.5d8b3b980c612p-53, 0x1.c51a7f1ed6e95p-54,  -0x1.27366cf2a2b21p-54, 0x1.82a0fb2a1eec4p-55,
    -0x1.fcd3b7974fc56p-56, 0x1.5067824992824p-56,  -0x1.bed977a87ea0cp-57, 0x1.2a16b8b6f3f1ap-57,  -0x1.8f67ddedb7aa2p-58};

}  // namespace monograph
