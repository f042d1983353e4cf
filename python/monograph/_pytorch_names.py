"""The public names of PyTorch 2.13.0. Made by tools/oracle/freeze_names.py."""

from ._pytorch_modules import MODULES as MODULES, OTHERS

NAMES = {
    "torch": """
AVG AcceleratorError AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BFloat16Storage BFloat16Tensor BenchmarkConfig BenchmarkExecutionStats
Block BoolStorage BoolTensor BoolType BufferDict ByteStorage ByteTensor CallStack Capsule CharStorage CharTensor ClassType Code CompilationUnit
CompleteArgumentSpec ComplexDoubleStorage ComplexFloatStorage ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable
DeserializationStorageContext DeviceObjType DictType DisableTorchFunction DisableTorchFunctionSubclass DispatchKey DispatchKeySet DoubleStorage DoubleTensor
EnumType ErrorReport Event ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatStorage FloatTensor FloatType FunctionSchema Future FutureType
Generator GradScaler Gradient Graph GraphExecutorState HalfStorage HalfTensor IODescriptor InferredType IntStorage IntTensor IntType InterfaceType
JITException ListType LiteScriptModule LockingLogger LoggerBase LongStorage LongTensor ModuleDict Node NoneType NoopLogger NumberType OperatorInfo
OptionalType OutOfMemoryError PRIVATE_OPS ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter QInt32Storage QInt8Storage QUInt2x4Storage
QUInt4x2Storage QUInt8Storage RRefType SUM ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList
ScriptListIterator ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty SerializationStorageContext ShortStorage ShortTensor
Size StaticModule Storage StorageBase Stream StreamObjType StringType SymBool SymBoolType SymFloat SymInt SymIntType TYPE_CHECKING Tag Tensor TensorType
ThroughputBenchmark TracingState TupleType Type TypedStorage USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH UnionType UntypedStorage Use Value abs abs_
absolute accelerator acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint
affine_grid_generator alias_copy all allclose alpha_dropout alpha_dropout_ amax amin aminmax amp angle any ao arange arccos arccos_ arccosh arccosh_ arcsin
arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ are_deterministic_algorithms_enabled argmax argmin argsort argwhere as_strided as_strided_
as_strided_copy as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d autocast
autocast_decrement_nesting autocast_increment_nesting autograd avg_pool1d backends baddbmm bartlett_window batch_norm batch_norm_backward_elemt
batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats bernoulli
bfloat16 bilinear binary_cross_entropy_with_logits bincount binomial bit bits16 bits1x8 bits2x4 bits4x2 bits8 bitwise_and bitwise_left_shift bitwise_not
bitwise_or bitwise_right_shift bitwise_xor blackman_window block_diag bmm bool broadcast_shapes broadcast_tensors broadcast_to bucketize can_cast
cartesian_prod cat ccol_indices_copy cdist cdouble ceil ceil_ celu celu_ cfloat chain_matmul chalf channel_shuffle channels_last channels_last_3d cholesky
cholesky_inverse cholesky_solve choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ classes classproperty
clear_autocast_cache clip clip_ clone col_indices_copy column_stack combinations compile compiled_with_cxx11_abi compiler complex complex128 complex32
complex64 concat concatenate cond conj conj_physical conj_physical_ constant_pad_nd contiguous_format contrib conv1d conv2d conv3d conv_tbc conv_transpose1d
conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cpp cpu cross
crow_indices_copy ctc_loss cuda cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu
cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable cummax cummin cumprod cumsum cumulative_trapezoid default_generator deg2rad deg2rad_
dequantize det detach detach_ detach_copy device diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff digamma dist distributed
distributions div divide dot double dropout dropout_ dsmm dsplit dstack dtype e eig einsum embedding embedding_bag embedding_renorm_ empty empty_like
empty_permuted empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv exp exp2 exp2_ exp_ expand_copy expm1 expm1_ export eye
fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix
feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ fft fill fill_ finfo fix fix_ flatten flip fliplr flipud float float16 float32
float4_e2m1fn_x2 float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float_power floor floor_ floor_divide fmax fmin fmod fork
frac frac_ frexp frobenius_norm from_dlpack from_file from_numpy frombuffer full full_like func functional fused_moving_avg_obs_fake_quant futures fx gather
gcd gcd_ ge geqrf ger get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device
get_default_dtype get_deterministic_debug_mode get_device get_device_module get_file_path get_float32_matmul_precision get_num_interop_threads
get_num_threads get_rng_state gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt half hamming_window
hann_window hardshrink has_lapack has_mkl has_openmp has_spectral hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm
hstack hub hypot i0 i0_ igamma igammac iinfo imag import_ir_module import_ir_module_from_buffer index_add index_copy index_fill index_put index_put_
index_reduce index_select indices_copy inf inference_mode init_num_threads initial_seed inner instance_norm int int1 int16 int2 int3 int32 int4 int5 int6
int64 int7 int8 int_repr inverse is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
is_autocast_ipu_enabled is_autocast_xla_enabled is_complex is_conj is_deterministic_algorithms_warn_only_enabled is_distributed is_floating_point
is_grad_enabled is_inference is_inference_mode_enabled is_neg is_nonzero is_same_size is_signed is_storage is_tensor is_vulkan_available
is_warn_always_enabled isclose isfinite isin isinf isnan isneginf isposinf isreal istft jagged jit kaiser_window kl_div kron kthvalue layer_norm layout lcm
lcm_ ldexp ldexp_ le legacy_contiguous_format lerp less less_equal lgamma library linalg linspace load lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_
log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace logsumexp long lstm lstm_cell
lstsq lt lu lu_solve lu_unpack manual_seed margin_ranking_loss masked masked_fill masked_scatter masked_select matmul matrix_exp matrix_power matrix_rank
max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum mean median memory_format merge_type_from_type_comment meshgrid min minimum
miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose miopen_ctc_loss
miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d
mkldnn_rnn_layer mm mode monitor moveaxis movedim mps msort mtia mul multinomial multiply multiprocessing mv mvlgamma nan nan_to_num nan_to_num_ nanmean
nanmedian nanquantile nansum narrow narrow_copy native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm
nativert ne neg neg_ negative negative_ nested newaxis nextafter nn no_grad nonzero nonzero_static norm norm_except_dim normal not_equal nuclear_norm numa
numel ones ones_like onnx ops optim orgqr ormqr outer overrides package pairwise_distance parse_ir parse_schema parse_type_comment pca_lowrank pdist
per_channel_affine per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric permute permute_copy pi pinverse
pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prelu prepare_multiprocessing_environment preserve_format prod profiler
profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 promote_types put q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point
qint32 qint8 qr qscheme quantile quantization quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic quantized_batch_norm quantized_gru
quantized_gru_cell quantized_lstm quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
quantized_rnn_tanh_cell quasirandom quint2x4 quint4x2 quint8 rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like random randperm range
ravel real reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type
return_types rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_ rsub saddmm
save scalar_tensor scatter scatter_add scatter_reduce searchsorted seed segment_reduce select select_copy select_scatter selu selu_ serialization
set_anomaly_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled
set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled set_default_device set_default_dtype
set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_grad_enabled set_num_interop_threads
set_num_threads set_printoptions set_rng_state set_warn_always sgn short sigmoid sigmoid_ sign signal signbit sin sin_ sinc sinc_ sinh sinh_ slice_copy
slice_inverse slice_scatter slogdet smm softmax solve sort sparse sparse_bsc sparse_bsc_tensor sparse_bsr sparse_bsr_tensor sparse_compressed_tensor
sparse_coo sparse_coo_tensor sparse_csc sparse_csc_tensor sparse_csr sparse_csr_tensor special split split_copy split_with_sizes split_with_sizes_copy spmm
sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean stft storage strided sub subtract sum svd svd_lowrank swapaxes swapdims
sym_constrain_range sym_constrain_range_for_size sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum symeig t t_copy take
take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot testing thread_safe_generator threshold threshold_ tile to_dlpack topk torch torch_version
trace transpose transpose_copy trapezoid trapz triangular_solve tril tril_indices triplet_margin_loss triu triu_indices true_divide trunc trunc_ typename
types uint1 uint16 uint2 uint3 uint32 uint4 uint5 uint6 uint64 uint7 uint8 unbind unbind_copy unflatten unfold_copy unify_type_list unique
unique_consecutive unravel_index unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms utils values_copy
vander var var_mean vdot version view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vmap vsplit vstack wait where while_loop
windows xlogy xlogy_ xpu zero_ zeros zeros_like
""",
    "torch.accelerator": """
Graph current_accelerator current_device_idx current_device_index current_stream device_count device_index empty_cache empty_host_cache
get_device_capability get_memory_info graphs is_available max_memory_allocated max_memory_reserved memory memory_allocated memory_reserved memory_stats
reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx set_device_index set_stream synchronize torch
""",
    "torch.amp": "GradScaler autocast autocast_mode custom_bwd custom_fwd grad_scaler is_autocast_available",
    "torch.amp.autocast_mode": "HAS_NUMPY autocast autocast_decorator custom_bwd custom_fwd is_autocast_available torch",
    "torch.amp.grad_scaler": "GradScaler OptState TYPE_CHECKING torch",
    "torch.ao": "nn ns pruning quantization",
    "torch.ao.nn": "intrinsic qat quantizable quantized sparse",
    "torch.ao.nn.intrinsic": """
BNReLU2d BNReLU3d ConvAdd2d ConvAddReLU2d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d
LinearLeakyReLU LinearReLU LinearTanh modules qat quantized
""",
    "torch.ao.nn.quantized": """
BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional
FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention PReLU
QFunctional Quantize ReLU6 Sigmoid Softmax dynamic functional modules reference
""",
    "torch.ao.nn.quantized.modules": """
BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional
FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention PReLU
QFunctional Quantize ReLU6 Sigmoid Softmax activation batchnorm conv dropout embedding_ops functional_modules linear normalization rnn torch utils
""",
    "torch.ao.nn.quantized.modules.functional_modules": "FXFloatFunctional FloatFunctional QFunctional Tensor ops torch",
    "torch.ao.quantization": """
AffineQuantizedObserverBase DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS
DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_QAT_MODULE_MAPPINGS DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS DeQuantStub FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FixedQParamsObserver
FusedMovingAvgObsFakeQuantize Granularity HistogramObserver MappingType MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver
NoopObserver ObserverBase ObserverOrFakeQuantize PerAxis PerBlock PerChannelMinMaxObserver PerGroup PerRow PerTensor PerToken PlaceholderObserver QConfig
QConfigAny QConfigDynamic QConfigMapping QuantStub QuantType QuantWrapper RecordingObserver ReuseInputObserver Tensor TorchAODType
UniformQuantizationObserverBase ZeroPointDomain add_quant_dequant backend_config convert convert_dynamic_jit convert_jit default_activation_only_qconfig
default_affine_fixed_qparams_fake_quant default_affine_fixed_qparams_observer default_debug_observer default_debug_qconfig default_dynamic_fake_quant
default_dynamic_qat_qconfig default_dynamic_qconfig default_dynamic_quant_observer default_embedding_fake_quant default_embedding_fake_quant_4bit
default_embedding_qat_qconfig default_embedding_qat_qconfig_4bit default_eval_fn default_fake_quant default_fixed_qparams_range_0to1_fake_quant
default_fixed_qparams_range_0to1_observer default_fixed_qparams_range_neg1to1_fake_quant default_fixed_qparams_range_neg1to1_observer
default_float_qparams_observer default_float_qparams_observer_4bit default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
default_fused_wt_fake_quant default_histogram_fake_quant default_histogram_observer default_observer default_per_channel_qconfig
default_per_channel_symmetric_qnnpack_qat_qconfig default_per_channel_symmetric_qnnpack_qconfig default_per_channel_weight_fake_quant
default_per_channel_weight_observer default_placeholder_observer default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_quint8_weight_qconfig
default_reuse_input_observer default_reuse_input_qconfig default_symmetric_fixed_qparams_fake_quant default_symmetric_fixed_qparams_observer
default_symmetric_qnnpack_qat_qconfig default_symmetric_qnnpack_qconfig default_weight_fake_quant default_weight_observer default_weight_only_qconfig
disable_fake_quant disable_observer enable_fake_quant enable_observer fake_quantize float16_dynamic_qconfig float16_static_qconfig
float_qparams_weight_only_qconfig float_qparams_weight_only_qconfig_4bit fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_convtranspose_bn
fuse_linear_bn fuse_modules fuse_modules_qat fused_per_channel_wt_fake_quant_range_neg_127_to_127 fused_wt_fake_quant_range_neg_127_to_127
fuser_method_mappings fx get_block_size get_default_compare_output_module_list get_default_custom_config_dict get_default_dynamic_quant_module_mappings
get_default_dynamic_sparse_quant_module_mappings get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings get_default_qat_qconfig
get_default_qat_qconfig_dict get_default_qat_qconfig_mapping get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping
get_default_qconfig_propagation_list get_default_static_quant_module_mappings get_default_static_quant_reference_module_mappings
get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class get_embedding_qat_module_mappings get_embedding_static_quant_module_mappings
get_fuser_method get_fuser_method_new get_observer_state_dict get_quantized_operator get_static_quant_module_class load_observer_state_dict no_observer_set
observer per_channel_dynamic_qconfig per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit prepare_jit prepare_qat propagate_qconfig_
qconfig qconfig_equals qconfig_mapping quant_type quantization_mappings quantize quantize_dynamic quantize_dynamic_jit quantize_fx quantize_jit quantize_qat
script_qconfig script_qconfig_dict stubs swap_module torch utils weight_observer_range_neg_127_to_127
""",
    "torch.ao.quantization.fuse_modules": """
fuse_conv_bn fuse_conv_bn_relu fuse_known_modules fuse_modules fuse_modules_qat get_fuser_method nn type_before_parametrizations
""",
    "torch.ao.quantization.fuser_method_mappings": """
MatchAllNode Pattern fuse_conv_bn fuse_conv_bn_relu fuse_convtranspose_bn fuse_linear_bn get_combined_dict get_fuser_method get_fuser_method_new nn nni
""",
    "torch.ao.quantization.stubs": "DeQuantStub QConfig QuantStub QuantWrapper nn torch",
    "torch.autograd": """
DeviceType Function NestedIOFunction ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState SavedTensor Variable anomaly_mode backward detect_anomaly
enable_grad enforce_grad_layout_policy forward_ad function functional grad grad_mode gradcheck gradgradcheck graph handle_torch_function has_torch_function
inference_mode is_multithreading_enabled is_tensor_like is_view_replay_enabled kineto_available no_grad profiler profiler_legacy profiler_util
set_detect_anomaly set_grad_enabled set_multithreading_enabled torch variable
""",
    "torch.autograd.anomaly_mode": "detect_anomaly set_detect_anomaly torch",
    "torch.autograd.forward_ad": "UnpackedDualTensor dual_level enter_dual_level exit_dual_level make_dual torch unpack_dual",
    "torch.autograd.function": """
AUTOGRAD_FUNCTION_COUNTER BackwardCFunction Function FunctionCtx FunctionMeta InplaceFunction NestedIOFunction custom_function_call hooks
once_differentiable torch
""",
    "torch.autograd.functional": "fwAD hessian hvp jacobian jvp torch vhp vjp",
    "torch.autograd.grad_mode": "F enable_grad enforce_grad_layout_policy inference_mode no_grad set_grad_enabled set_multithreading_enabled torch",
    "torch.autograd.gradcheck": """
FAILED_BATCHED_GRAD_MSG FAILED_BATCHED_GRAD_MSG_FWD_AD FAILED_NONDET_MSG FAST_FAIL_SLOW_OK_MSG GradcheckError get_analytical_jacobian get_numerical_jacobian
get_numerical_jacobian_wrt_specific_input gradcheck gradgradcheck is_tensor_like torch vmap
""",
    "torch.autograd.graph": """
GradientEdge Node RemovableHandle TYPE_CHECKING TorchDispatchMode Variable allow_mutation_on_saved_tensors disable_saved_tensors_hooks get_gradient_edge
increment_version region_activation_memory_budget register_multi_grad_hook save_on_cpu saved_tensors_hooks set_override_stale_capture_stream
set_warn_on_accumulate_grad_stream_mismatch torch
""",
    "torch.autograd.profiler": """
DeviceType EnforceUnique EventList FunctionEvent Future KinetoStepTracker MEMORY_EVENT_NAME MemRecordsAcc OUT_OF_MEMORY_EVENT_NAME ProfilerActivity
ProfilerConfig ProfilerState emit_itt emit_nvtx kineto_available load_nvprof parse_nvprof_trace perf_counter_ns profile record_function torch warn
""",
    "torch.autograd.profiler_util": """
DeviceType EventList EventMetadata FormattedTimesMixin FunctionEvent FunctionEventAvg Interval Kernel MEMORY_EVENT_NAME MemRecordsAcc
OUT_OF_MEMORY_EVENT_NAME StringTable torch
""",
    "torch.autograd.variable": "ImperativeEngine Variable VariableMeta torch",
    "torch.backends": "cpu cuda cudnn cusparselt kleidiai m mha miopen mkl mkldnn mps nnpack openmp opt_einsum python_native quantized xeon xnnpack",
    "torch.backends.cpu": "get_cpu_capability torch",
    "torch.backends.cuda": """
SDPAParams SDPBackend allow_fp16_bf16_reduction_math_sdp blas_workspace_size can_use_cudnn_attention can_use_efficient_attention can_use_flash_attention
cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp cuFFTPlanCacheManager cublas_workspace_size cublaslt_workspace_size cudnn_sdp_enabled
cufft_plan_cache enable_cudnn_sdp enable_flash_sdp enable_math_sdp enable_mem_efficient_sdp flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed is_built
is_ck_sdpa_available is_flash_attention_available math_sdp_enabled matmul mem_efficient_sdp_enabled preferred_blas_library preferred_linalg_library
preferred_rocm_fa_library sdp_kernel torch
""",
    "torch.backends.cudnn": "m",
    "torch.backends.cudnn.rnn": "m",
    "torch.backends.cusparselt": "get_max_alg_id is_available torch version",
    "torch.backends.kleidiai": "is_available torch",
    "torch.backends.mha": "get_fastpath_enabled set_fastpath_enabled torch",
    "torch.backends.miopen": "m",
    "torch.backends.mkl": "VERBOSE_OFF VERBOSE_ON is_available torch verbose",
    "torch.backends.mkldnn": "m",
    "torch.backends.mps": "TYPE_CHECKING get_core_count get_name is_available is_built is_macos13_or_newer is_macos_or_newer torch",
    "torch.backends.nnpack": "ContextProp PropModule flags is_available set_flags torch",
    "torch.backends.openmp": "is_available torch",
    "torch.backends.opt_einsum": "m",
    "torch.backends.python_native": """
all_dsls available_dsls cutedsl disable_dispatch_keys disable_operations enable_dispatch_keys enable_operations get_dsl_operations is_dsl_disabled
is_operation_disabled m operations_disabled triton
""",
    "torch.backends.quantized": "m",
    "torch.backends.xeon": "run_cpu",
    "torch.backends.xeon.run_cpu": "REMAINDER Std create_args format_str main start_processes",
    "torch.backends.xnnpack": "m",
    "torch.compiler": """
CacheInfo F NestedCompileRegionOptions allow_in_graph assume_constant_result compile config cudagraph_mark_step_begin disable get_default_backend
is_compiling is_dynamo_compiling is_exporting keep_portable_guards_unsafe keep_tensor_guards_unsafe list_backends load_cache_artifacts
load_compiled_function nested_compile_region reset save_cache_artifacts set_default_backend set_enable_guard_collectives set_stance skip_all_guards_unsafe
skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph torch wrap_numpy
""",
    "torch.compiler.config": """
Config accumulated_recompile_limit allow_unspec_int_on_nn_module assume_static_by_default automatic_dynamic_shapes capture_dynamic_output_shape_ops
capture_scalar_outputs dynamic_shapes enable_cpp_symbolic_shape_guards fail_on_recompile_limit_hit force_disable_caches install_config_module job_id
log_file_name recompile_limit reorderable_logging_functions skip_tensor_guards_with_matching_dict_tags verbose wrap_top_frame
""",
    "torch.cpu": """
Event Stream StreamContext amp current_device current_stream device_count get_capabilities is_available is_initialized set_device stream synchronize torch
""",
    "torch.cpu.amp": "GradScaler autocast autocast_mode grad_scaler",
    "torch.cuda": """
AcceleratorError BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator CharStorage CharTensor
ComplexDoubleStorage ComplexFloatStorage CudaError DEVICE_REQUIREMENT DeferredCudaCallError DoubleStorage DoubleTensor Event ExternalStream FloatStorage
FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor MemPool OutOfMemoryError PYTORCH_RELEASES_CODE_CC ShortStorage
ShortTensor Stream StreamContext TYPE_CHECKING amp caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable
can_device_access_peer change_current_allocator check_error classproperty clock_rate comm cudaStatus cudart current_blas_handle current_device
current_solver_handle current_stream default_generators default_stream device device_count device_memory_used device_of empty_cache gds
get_allocator_backend get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags get_per_process_memory_fraction
get_rng_state get_rng_state_all get_stream_from_external get_sync_debug_mode graph graph_pool_handle graphs green_contexts has_half has_magma
host_memory_stats host_memory_stats_as_nested_dict init initial_seed ipc_collect is_available is_bf16_supported is_current_stream_capturing is_initialized
is_tf32_supported jiterator list_gpu_processes make_graphed_callables manual_seed manual_seed_all max_memory_allocated max_memory_cached max_memory_reserved
mem_get_info memory memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary memory_usage nccl
nvtx power_draw profiler random reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached
reset_peak_host_memory_stats reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream
set_sync_debug_mode sparse stream streams synchronize temperature torch tunable use_mem_pool utilization
""",
    "torch.cuda.amp": "GradScaler amp_definitely_not_available autocast autocast_mode common custom_bwd custom_fwd grad_scaler",
    "torch.distributed": """
AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions BuiltinCommHookType DebugLevel DeviceMesh
DistBackendError DistError DistNetworkError DistStoreError FileStore GatherOptions GradBucket GroupMember GroupName HashStore Logger P2POp PrefixStore
ProcessGroup ProcessGroupGloo QueueEmptyError ReduceOp ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work algorithms all_gather
all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single argparse_util
autograd barrier batch_isend_irecv breakpoint broadcast broadcast_object_list c10d_logger checkpoint collective_utils config constants debug
default_pg_timeout destroy_process_group device_mesh distributed_c10d elastic flight_recorder fsdp gather gather_object get_backend get_backend_config
get_debug_level get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_pg_count get_process_group_ranks get_rank
get_world_size group init_device_mesh init_process_group irecv is_available is_backend_available is_gloo_available is_initialized is_mpi_available
is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available isend launch launcher logging_handlers monitored_barrier new_group
new_subgroups new_subgroups_by_enumeration nn optim pipelining record_comm recv recv_object_list reduce reduce_op reduce_scatter reduce_scatter_single
reduce_scatter_tensor register_rendezvous_handler remote_device rendezvous rpc run scatter scatter_object_list send send_object_list set_debug_level
set_debug_level_from_env shrink_group split_group supports_complex tensor torch utils
""",
    "torch.distributions": """
AbsTransform AffineTransform Bernoulli Beta Binomial CatTransform Categorical Cauchy Chi2 ComposeTransform ContinuousBernoulli CorrCholeskyTransform
CumulativeDistributionTransform Dirichlet Distribution ExpTransform Exponential ExponentialFamily FisherSnedecor Gamma GeneralizedPareto Geometric Gumbel
HalfCauchy HalfNormal Independent IndependentTransform InverseGamma Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal LowRankMultivariateNormal
LowerCholeskyTransform MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial Normal OneHotCategorical OneHotCategoricalStraightThrough Pareto
Poisson PositiveDefiniteTransform PowerTransform RelaxedBernoulli RelaxedOneHotCategorical ReshapeTransform SigmoidTransform SoftmaxTransform
SoftplusTransform StackTransform StickBreakingTransform StudentT TanhTransform Transform TransformedDistribution Uniform VonMises Weibull Wishart bernoulli
beta biject_to binomial categorical cauchy chi2 constraint_registry constraints continuous_bernoulli dirichlet distribution exp_family exponential
fishersnedecor gamma generalized_pareto geometric gumbel half_cauchy half_normal identity_transform independent inverse_gamma kl kl_divergence kumaraswamy
laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal mixture_same_family multinomial multivariate_normal negative_binomial normal
one_hot_categorical pareto poisson register_kl relaxed_bernoulli relaxed_categorical studentT transform_to transformed_distribution transforms uniform utils
von_mises weibull wishart
""",
    "torch.distributions.bernoulli": """
Bernoulli ExponentialFamily Tensor binary_cross_entropy_with_logits broadcast_all constraints lazy_property logits_to_probs nan probs_to_logits torch
""",
    "torch.distributions.beta": "Beta Dirichlet ExponentialFamily Tensor broadcast_all constraints torch",
    "torch.distributions.binomial": "Binomial Distribution Tensor broadcast_all constraints lazy_property logits_to_probs probs_to_logits torch",
    "torch.distributions.categorical": "Categorical Distribution Tensor constraints lazy_property logits_to_probs nan probs_to_logits torch",
    "torch.distributions.cauchy": "Cauchy Distribution Tensor broadcast_all constraints inf nan torch",
    "torch.distributions.chi2": "Chi2 Gamma Tensor constraints",
    "torch.distributions.constraint_registry": "ConstraintRegistry biject_to constraints transform_to transforms",
    "torch.distributions.constraints": """
Constraint MixtureSameFamilyConstraint boolean cat corr_cholesky dependent dependent_property greater_than greater_than_eq half_open_interval independent
integer_interval interval is_dependent less_than lower_cholesky lower_triangular multinomial nonnegative nonnegative_integer one_hot positive
positive_definite positive_integer positive_semidefinite real real_vector simplex square stack symmetric torch unit_interval
""",
    "torch.distributions.continuous_bernoulli": """
ContinuousBernoulli ExponentialFamily Tensor binary_cross_entropy_with_logits broadcast_all clamp_probs constraints lazy_property logits_to_probs
probs_to_logits torch
""",
    "torch.distributions.dirichlet": "Dirichlet ExponentialFamily Function Tensor constraints once_differentiable torch",
    "torch.distributions.distribution": "Distribution Tensor constraints lazy_property torch",
    "torch.distributions.exp_family": "Distribution ExponentialFamily Tensor torch",
    "torch.distributions.exponential": "Exponential ExponentialFamily Tensor broadcast_all constraints torch",
    "torch.distributions.fishersnedecor": "Distribution FisherSnedecor Gamma Tensor broadcast_all constraints nan torch",
    "torch.distributions.gamma": "ExponentialFamily Gamma Tensor broadcast_all constraints torch",
    "torch.distributions.generalized_pareto": "Distribution GeneralizedPareto broadcast_all constraints inf nan torch",
    "torch.distributions.geometric": """
Distribution Geometric Tensor binary_cross_entropy_with_logits broadcast_all constraints lazy_property logits_to_probs probs_to_logits torch
""",
    "torch.distributions.gumbel": "AffineTransform ExpTransform Gumbel Tensor TransformedDistribution Uniform broadcast_all constraints euler_constant torch",
    "torch.distributions.half_cauchy": "AbsTransform Cauchy HalfCauchy Tensor TransformedDistribution constraints inf torch",
    "torch.distributions.half_normal": "AbsTransform HalfNormal Normal Tensor TransformedDistribution constraints inf torch",
    "torch.distributions.independent": "D Distribution Independent Size Tensor constraints torch",
    "torch.distributions.inverse_gamma": "Gamma InverseGamma PowerTransform Tensor TransformedDistribution constraints torch",
    "torch.distributions.kl": """
Bernoulli Beta Binomial Categorical Cauchy ContinuousBernoulli Dirichlet Distribution Exponential ExponentialFamily Gamma Geometric Gumbel HalfNormal
Independent Laplace LowRankMultivariateNormal MultivariateNormal Normal OneHotCategorical Pareto Poisson Tensor TransformedDistribution Uniform inf
kl_divergence register_kl torch
""",
    "torch.distributions.kumaraswamy": """
AffineTransform Kumaraswamy PowerTransform Tensor TransformedDistribution Uniform broadcast_all constraints euler_constant nan torch
""",
    "torch.distributions.laplace": "Distribution Laplace Tensor broadcast_all constraints torch",
    "torch.distributions.lkj_cholesky": "Beta Distribution LKJCholesky Tensor broadcast_all constraints torch",
    "torch.distributions.log_normal": "ExpTransform LogNormal Normal Tensor TransformedDistribution constraints",
    "torch.distributions.logistic_normal": "Independent LogisticNormal Normal StickBreakingTransform Tensor TransformedDistribution constraints",
    "torch.distributions.lowrank_multivariate_normal": "Distribution LowRankMultivariateNormal Tensor constraints lazy_property torch",
    "torch.distributions.mixture_same_family": "Categorical Distribution MixtureSameFamily MixtureSameFamilyConstraint Tensor constraints torch",
    "torch.distributions.multinomial": "Binomial Categorical Distribution Multinomial Tensor broadcast_all constraints inf torch",
    "torch.distributions.multivariate_normal": "Distribution MultivariateNormal Tensor constraints lazy_property torch",
    "torch.distributions.negative_binomial": """
Distribution F Gamma NegativeBinomial Tensor broadcast_all constraints lazy_property logits_to_probs probs_to_logits torch
""",
    "torch.distributions.normal": "ExponentialFamily Normal Tensor broadcast_all constraints torch",
    "torch.distributions.one_hot_categorical": "Categorical Distribution OneHotCategorical OneHotCategoricalStraightThrough Tensor constraints torch",
    "torch.distributions.pareto": "AffineTransform ExpTransform Exponential Pareto Tensor TransformedDistribution broadcast_all constraints",
    "torch.distributions.poisson": "ExponentialFamily Poisson Tensor broadcast_all constraints torch",
    "torch.distributions.relaxed_bernoulli": """
Distribution LogitRelaxedBernoulli RelaxedBernoulli SigmoidTransform Tensor TransformedDistribution broadcast_all clamp_probs constraints lazy_property
logits_to_probs probs_to_logits torch
""",
    "torch.distributions.relaxed_categorical": """
Categorical Distribution ExpRelaxedCategorical ExpTransform RelaxedOneHotCategorical Tensor TransformedDistribution broadcast_all clamp_probs constraints
torch
""",
    "torch.distributions.studentT": "Chi2 Distribution StudentT Tensor broadcast_all constraints inf nan torch",
    "torch.distributions.transformed_distribution": "ComposeTransform Distribution Independent Tensor Transform TransformedDistribution constraints torch",
    "torch.distributions.transforms": """
AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform CumulativeDistributionTransform Distribution ExpTransform F
IndependentTransform LowerCholeskyTransform PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform SoftplusTransform
StackTransform StickBreakingTransform TanhTransform Tensor Transform broadcast_all constraints identity_transform lazy_property pad softplus torch
tril_matrix_to_vec vec_to_tril_matrix
""",
    "torch.distributions.uniform": "Distribution Tensor Uniform broadcast_all constraints nan torch",
    "torch.distributions.utils": """
F R SymInt T Tensor broadcast_all clamp_probs euler_constant is_tensor_like lazy_property logits_to_probs probs_to_logits torch tril_matrix_to_vec
vec_to_tril_matrix
""",
    "torch.distributions.von_mises": "Distribution Tensor VonMises broadcast_all constraints lazy_property torch",
    "torch.distributions.weibull": """
AffineTransform Exponential PowerTransform Tensor TransformedDistribution Weibull broadcast_all constraints euler_constant torch
""",
    "torch.distributions.wishart": "ExponentialFamily Tensor Wishart constraints lazy_property nan torch",
    "torch.fft": """
Tensor common_args factory_common_args fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn
rfft rfft2 rfftfreq rfftn torch
""",
    "torch.func": """
debug_unwrap functional_call functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize rearrange replace_all_batch_norm_modules_
stack_module_state vjp vmap
""",
    "torch.functional": """
F TYPE_CHECKING Tensor atleast_1d atleast_2d atleast_3d block_diag boolean_dispatch broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul
einsum handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic istft lu meshgrid norm overload pca_lowrank split stft
svd_lowrank tensordot torch unique unique_consecutive unravel_index
""",
    "torch.futures": "Future S T TYPE_CHECKING collect_all torch wait_all",
    "torch.fx": """
CodeGen Graph GraphModule Interpreter Node PH Proxy ProxyableClassMeta Tracer Transformer annotate config experimental graph graph_module has_side_effect
immutable_collections interpreter map_arg node operator_schemas passes proxy replace_pattern subgraph_rewriter symbolic_trace tensor_type traceback wrap
""",
    "torch.fx.annotate": "Proxy annotate compatibility",
    "torch.fx.experimental": """
accelerator_partitioner const_fold debug dynamic_spec graph_gradual_typechecker merge_matmul meta_tracer migrate_gradual_types normalize optimization
partitioner_utils proxy_tensor recording refinement_types rewriter schema_type_annotation sym_node symbolic_shapes unification unify_refinements validator
""",
    "torch.fx.experimental.const_fold": "FoldedGraphModule get_unique_attr_name_in_module map_arg split_const_subgraphs split_module torch",
    "torch.fx.experimental.merge_matmul": "Node are_nodes_independent legalize_graph may_depend_on merge_matmul split_result_tensors symbolic_trace torch",
    "torch.fx.experimental.normalize": """
AnnotateTypesWithSchema Node NormalizeArgs NormalizeOperators Proxy Transformer create_type_hint fx map_aggregate normalize_function normalize_module torch
""",
    "torch.fx.experimental.optimization": """
F MklSubgraph ShapeProp UnionFind extract_subgraph fuse fuse_conv_bn_eval fuse_linear_bn_eval fx gen_mkl_autotuner matches_module_pattern mkldnn_map
mkldnn_supported mkldnn_supported_unknown modules_to_mkldnn nn optimize_for_inference remove_dropout replace_node_module reset_modules th_mkldnn torch
use_mkl_length
""",
    "torch.fx.experimental.proxy_tensor": """
BackwardState CONSTANT_NUMEL_LIMIT DecompositionInterpreter FakeScriptObject FakeTensor FakeTensorMode FunctionalTensor GraphModule HANDLED_TYPES
HigherOrderOperator Module ORIGINAL_ATEN OpOverload OpaqueBase PreDispatchTorchFunctionMode Proxy ProxyTorchDispatchMode PythonKeyTracer R SymBool SymInt
SymNode T TYPE_CHECKING Tensor Thunk TorchDispatchMode TorchFunctionMetadataMode TorchFunctionMode TraceableWrapperSubclass Tracer U WeakIdKeyDictionary
WeakTensorKeyDictionary aten autograd_would_have_decomposed count decompose disable_autocast_cache disable_proxy_modes_tracing dispatch_trace
enable_python_dispatcher extract_val fake_signature fast_detach fetch_object_proxy fetch_sym_proxy fx fx_traceback get_innermost_proxy_mode
get_isolated_graphmodule get_plain_tensors get_proxy_mode get_proxy_slot get_reconstruct_fn get_torch_dispatch_modes handle_sym_dispatch has_proxy_slot
is_fake is_opaque_reference_type is_opaque_value is_opaque_value_type is_sparse_any is_sym_node make_fx maybe_disable_thunkify maybe_enable_thunkify
maybe_handle_decomp no_default prim proxy_call proxy_slot py_sym_types pytree selective_decompose set_meta set_original_aten_op set_proxy_slot should_hoist
snapshot_fake thunkify torch trace_structured track_tensor track_tensor_tree unset_fake_temporarily wrap_key wrapper_and_args_for_make_fx
""",
    "torch.fx.experimental.rewriter": "AST_Rewriter Graph RewritingTracer Tracer normalize_source_lines torch",
    "torch.fx.experimental.schema_type_annotation": "AnnotateTypesWithSchema GraphModule Proxy Transformer torch",
    "torch.fx.graph": """
CodeGen Graph Node PythonCode TYPE_CHECKING TensorType compatibility dtype_abbrs fx_pytree get_opaque_obj_repr immutable_dict inplace_methods
is_opaque_value_type magic_methods map_arg py_sym_types pytree reflectable_magic_methods torch
""",
    "torch.fx.graph_module": """
FX_GRAPH_MODULE_FILE_PREFIX Graph GraphModule Importer PackageExporter PackageImporter PythonCode TYPE_CHECKING compatibility fx_experimental_config nn
reduce_graph_module reduce_package_graph_module sys_importer torch
""",
    "torch.fx.immutable_collections": "compatibility immutable_dict immutable_list register_pytree_node",
    "torch.fx.interpreter": """
Graph GraphModule Interpreter LazyString Node Proxy Tracer Transformer compatibility config fx_traceback map_aggregate map_arg torch tqdm trace_structured
""",
    "torch.fx.node": """
ArgsKwargsPair ArgumentT Node TYPE_CHECKING base_types compatibility dtype_abbrs has_side_effect map_aggregate map_arg normalize_function normalize_module
torch
""",
    "torch.fx.operator_schemas": """
ArgsKwargsPair OpOverload OpOverloadPacket TYPE_CHECKING check_for_mutable_operation compatibility create_type_hint get_signature_for_torch_op k
normalize_function normalize_module torch type_matches
""",
    "torch.fx.passes": """
annotate_getitem_nodes backends dialect fake_tensor_prop graph_drawer graph_manipulation graph_transform_observer infra net_min_base operator_support
param_fetch pass_manager regional_inductor regional_inductor_invoke_subgraph reinplace runtime_assert shape_prop split_module split_utils splitter_base
tests tools_common utils
""",
    "torch.fx.passes.annotate_getitem_nodes": "annotate_getitem_nodes torch",
    "torch.fx.passes.dialect": "common",
    "torch.fx.passes.dialect.common": "cse_pass",
    "torch.fx.passes.dialect.common.cse_pass": """
CSEPass Graph GraphModule Node PassBase PassResult aten get_CSE_banned_ops inplace_ops rand_ops torch tree_flatten
""",
    "torch.fx.passes.fake_tensor_prop": """
FakeTensor FakeTensorMode FakeTensorProp Node OrderedSet compatibility map_aggregate py_sym_types snapshot_fake torch
""",
    "torch.fx.passes.graph_drawer": "FxGraphDrawer HAS_PYDOT TYPE_CHECKING TensorMetadata compatibility normalize_function pydot torch",
    "torch.fx.passes.graph_manipulation": """
Graph GraphModule Node ShapeProp TensorMetadata compatibility get_size_of_all_nodes get_size_of_node get_tensor_meta map_arg replace_target_nodes_with
size_bytes torch
""",
    "torch.fx.passes.graph_transform_observer": "FxGraphDrawer Graph GraphModule GraphTransformObserver Node NodeSource NodeSourceAction T compatibility",
    "torch.fx.passes.infra": "partitioner pass_base pass_manager",
    "torch.fx.passes.infra.partitioner": "CapabilityBasedPartitioner GraphModule Node OperatorSupportBase Partition fuse_by_partitions",
    "torch.fx.passes.infra.pass_base": "GraphModule PassBase PassResult compatibility nn",
    "torch.fx.passes.infra.pass_manager": "GraphModule PassManager PassResult compatibility nn pass_result_wrapper this_before_that_pass_constraint",
    "torch.fx.passes.net_min_base": """
CALLABLE_NODE_OPS FxNetAccFusionsFinder FxNetMinimizerBadModuleError FxNetMinimizerResultMismatchError FxNetMinimizerRunFuncError ShapeProp compatibility
map_arg split_by_tags torch
""",
    "torch.fx.passes.operator_support": """
CALLABLE_NODE_OPS OpSupports OperatorSupport OperatorSupportBase TensorMetadata any_chain chain compatibility create_op_support get_node_target torch
""",
    "torch.fx.passes.param_fetch": """
GraphModule compatibility default_matching extract_attrs_for_lowering lift_lowering_attrs_to_nodes module_fetch_book nn torch
""",
    "torch.fx.passes.pass_manager": "PassManager inplace_wrapper log_hook loop_pass these_before_those_pass_constraint this_before_that_pass_constraint",
    "torch.fx.passes.reinplace": "FakeTensor FakeTensorMode Node StorageWeakRef compatibility pytree reinplace torch tree_map_only",
    "torch.fx.passes.shape_prop": """
Node ShapeProp TensorMetadata compatibility detect_fake_mode enable_python_dispatcher is_contiguous_for_memory_format_or_false is_sparse_any map_aggregate
torch
""",
    "torch.fx.passes.split_module": "GraphModule Node Partition compatibility lazy_format_graph_code split_module split_module_simple torch",
    "torch.fx.passes.split_utils": """
CALLABLE_NODE_OPS Component HolderModule TYPE_CHECKING compatibility getattr_recursive is_node_output_tensor lift_subgraph_as_module map_arg
move_non_tensor_nodes_on_boundary setattr_recursive split_by_tags torch
""",
    "torch.fx.passes.splitter_base": """
ALL_SUFFIX CALLABLE_NODE_OPS DEFAULT_ALLOW_NON_TENSOR DEFAULT_MIN_ACC_MODULE_SIZE DEFAULT_SKIP_FUSION DUMP_PREFIX ENV_FX_NET_ACC_SPLITTER_TRACKER_DUMP_PATH
ENV_FX_NET_ACC_SPLITTER_TRACKER_MODE ENV_FX_NET_ACC_SPLITTER_TRACKER_TRACKED_NODES FxGraphDrawer FxNetAccFusionsFinder FxNetAccNodesFinder
FxNetSplitterInternalError NODES_SUFFIX NodeEvent NodeEventTracker OperatorSupportBase ShapeProp SplitResult Subgraph TRACKER_DUMP_PATH TRACKER_MODE
compatibility generate_inputs_for_submodules get_node_target get_size_of_node is_node_output_tensor map_arg move_non_tensor_nodes_on_boundary split_by_tags
torch trace_structured
""",
    "torch.fx.passes.tools_common": """
CALLABLE_NODE_OPS FxNetAccFusionsFinder compatibility get_acc_ops_name get_node_target is_node_output_tensor legalize_graph stable_topological_sort torch
""",
    "torch.fx.passes.utils": """
HolderModule common compare_graphs fuser_utils lift_subgraph_as_module matcher_utils matcher_with_name_node_map_utils source_matcher_utils
""",
    "torch.fx.passes.utils.common": "Graph GraphModule HolderModule Module SubgraphMatcher compare_graphs compatibility lift_subgraph_as_module",
    "torch.fx.passes.utils.fuser_utils": """
Graph GraphModule Node compatibility erase_nodes fuse_as_graphmodule fuse_by_partitions insert_subgm legalize_graph lift_subgraph_as_module topo_sort torch
validate_partition
""",
    "torch.fx.passes.utils.matcher_utils": "Graph InternalMatch Node SubgraphMatcher compatibility torch",
    "torch.fx.passes.utils.matcher_with_name_node_map_utils": """
Graph GraphModule InternalMatch Node SubgraphMatcher SubgraphMatcherWithNameNodeMap compatibility
""",
    "torch.fx.passes.utils.source_matcher_utils": "Graph Node SourcePartition check_subgraphs_connected compatibility get_source_partitions",
    "torch.fx.proxy": """
Attribute CapturedTraceback Graph GraphAppendingTracer MetaProxy Node ParameterProxy Proxy Scope ScopeContextManager TraceError TracerBase assert_fn
base_types check_for_mutable_operation compatibility fx_traceback getArtifactLogger immutable_dict immutable_list is_opaque_value_type magic_methods map_arg
method orig_method_name reflectable_magic_methods torch tree_map_
""",
    "torch.fx.subgraph_rewriter": """
Graph GraphModule Match Node ReplacedPatterns TYPE_CHECKING compatibility replace_pattern replace_pattern_with_filters symbolic_trace torch
""",
    "torch.fx.tensor_type": "Dyn TYPE_CHECKING TensorType Var compatibility is_consistent is_more_precise",
    "torch.fx.traceback": """
GRADIENT_ACC_SPECIAL_STACK Graph GraphModule MEMORY_BUDGET_ANNOTATION_KEY Node NodeSource NodeSourceAction annotate annotate_fn compatibility current_meta
current_replay_node format_stack get_current_meta get_current_replay_node get_graph_provenance_json has_preserved_node_meta preserve_node_meta
reset_grad_fn_seq_nr set_current_meta set_current_replay_node set_grad_fn_seq_nr set_stack_trace should_preserve_node_meta signpost_event
""",
    "torch.hub": """
DEFAULT_CACHE_DIR ENV_GITHUB_TOKEN ENV_TORCH_HOME ENV_XDG_CACHE_HOME MODULE_HUBCONF READ_DATA_CHUNK VAR_DEPENDENCY download_url_to_file get_dir help list
load load_state_dict_from_url set_dir torch tqdm
""",
    "torch.jit": """
Attribute CompilationUnit Error Future ONNXTracedModule RecursiveScriptClass RecursiveScriptModule ScriptFunction ScriptModule ScriptWarning
TopLevelTracedModule TracedModule TracerWarning TracingCheckError annotate annotations enable_onednn_fusion export export_opnames fork freeze frontend fuser
generate_bytecode ignore interface is_scripting is_tracing isinstance jit_module_from_flatbuffer last_executed_optimized_graph load mobile
onednn_fusion_enabled optimize_for_inference optimized_execution quantized run_frozen_optimizations save save_jit_module_to_flatbuffer script
script_if_tracing script_method set_fusion_strategy set_module strict_fusion supported_ops torch trace trace_module unsupported_tensor_ops unused wait
""",
    "torch.jit.annotations": """
AnyType AwaitType BoolType BroadcastingList1 BroadcastingList2 BroadcastingList3 ComplexType DeviceObjType DictType EnumType EvalEnv FloatType Future
FutureType IntType InterfaceType ListType Module NoneType NumberType OpOverloadPacket OptionalType RRef RRefType StreamObjType StringType TensorType
TupleType UnionType ann_to_type check_fn get_enum_value_type get_param_names get_signature get_source_lines_and_file get_type_line is_await is_dict
is_function_or_method is_future is_ignored_fn is_list is_optional is_rref is_tensor is_tuple is_union is_vararg parse_type_line split_type_line torch
try_ann_to_type try_real_annotations
""",
    "torch.library": """
CustomOpDef EffectType Library OpOverload TYPE_CHECKING custom_op define fallthrough_kernel get_ctx get_kernel impl impl_abstract infer_schema opcheck
register_autocast register_autograd register_fake register_kernel register_torch_dispatch register_vmap torch triton_op wrap_triton
""",
    "torch.linalg": """
LinAlgError cholesky cholesky_ex common_notes cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv inv_ex ldl_factor ldl_factor_ex
ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_ex
solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
""",
    "torch.mps": """
Event Tensor compile_shader current_allocated_memory device_count driver_allocated_memory empty_cache event get_rng_state is_available load_metallib
manual_seed profiler recommended_max_memory seed set_per_process_memory_fraction set_rng_state synchronize torch
""",
    "torch.mtia": """
DeferredMtiaCallError Event MTIAGraph Stream StreamContext Tensor attach_out_of_memory_observer current_device current_stream default_generators
default_stream device device_count empty_cache get_device_capability get_device_properties get_rng_state get_rng_state_all graph graph_pool_handle init
initial_seed is_available is_bf16_supported is_fbcode is_initialized is_prod manual_seed manual_seed_all max_memory_allocated memory memory_allocated
memory_stats mtia_graph record_memory_history reset_peak_memory_stats seed seed_all set_device set_rng_state set_rng_state_all set_stream snapshot stream
synchronize torch
""",
    "torch.multiprocessing": """
ENV_VAR_PARALLEL_START ProcessContext ProcessExitedException ProcessRaisedException SpawnContext get_all_sharing_strategies get_sharing_strategy
init_reductions pool queue reductions set_sharing_strategy spawn start_processes torch
""",
    "torch.nn": """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout
AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU CTCLoss ChannelShuffle CircularPad1d
CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag
FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish
Hardtanh HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell
LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d
LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm
LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList
MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance Parameter ParameterDict
ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d
ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin
Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten Unfold UninitializedBuffer UninitializedParameter Upsample
UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d attention backends common_types cpp factory_kwargs functional grad init intrinsic
modules parallel parameter qat quantizable quantized utils
""",
    "torch.nn.attention": """
SDPAParams SDPBackend WARN_FOR_UNFUSED_KERNELS activate_flash_attention_impl bias can_use_efficient_attention can_use_flash_attention
current_flash_attention_impl experimental flex_attention list_flash_attention_impls register_flash_attention_impl restore_flash_attention_impl sdpa_kernel
torch varlen warn
""",
    "torch.nn.attention.bias": """
CausalBias CausalVariant F SDPAParams can_use_efficient_attention can_use_flash_attention causal_lower_right causal_upper_left is_flash_attention_available
torch warn
""",
    "torch.nn.functional": """
BroadcastingList1 BroadcastingList2 BroadcastingList3 GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES ScalingType SwizzleType TYPE_CHECKING Tensor
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d
adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout assert_int_or_pair avg_pool1d avg_pool2d
avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits boolean_dispatch celu celu_ channel_shuffle conv1d conv2d conv3d
conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dropout dropout1d dropout2d
dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grad grid_sample group_norm grouped_mm gumbel_softmax handle_torch_function hardshrink
hardsigmoid hardswish hardtanh hardtanh_ has_torch_function has_torch_function_unary has_torch_function_variadic hinge_embedding_loss huber_loss
instance_norm interpolate kl_div l1_loss layer_norm leaky_relu leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d
lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices
max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_
reproducibility_notes rms_norm rrelu rrelu_ scaled_dot_product_attention scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss
softmax softmin softplus softshrink softsign sparse_support_notes tanh tanhshrink tf32_notes threshold threshold_ torch triplet_margin_loss
triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
""",
    "torch.nn.init": """
Tensor calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ kaiming_uniform kaiming_uniform_ normal normal_ ones_
orthogonal orthogonal_ sparse sparse_ torch trunc_normal_ uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ zeros_
""",
    "torch.nn.modules": """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout
AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle CircularPad1d CircularPad2d
CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss
CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold
FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss
HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d
LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d
LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss LinearCrossEntropyOptions LocalResponseNorm LogSigmoid LogSoftmax
MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList MultiLabelMarginLoss
MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU PairwiseDistance ParameterDict ParameterList PixelShuffle PixelUnshuffle
PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh
Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss
TripletMarginWithDistanceLoss Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d activation adaptive batchnorm
channelshuffle container conv distance dropout flatten fold instancenorm lazy linear linear_cross_entropy linear_cross_entropy_options loss module
normalization padding pixelshuffle pooling rnn sparse transformer upsampling utils
""",
    "torch.nn.modules.activation": """
CELU ELU F GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish Module MultiheadAttention NonDynamicallyQuantizableLinear
PReLU Parameter RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Tensor Threshold constant_ torch
xavier_normal_ xavier_uniform_
""",
    "torch.nn.modules.adaptive": "AdaptiveLogSoftmaxWithLoss F Linear Module ModuleList Sequential Tensor torch",
    "torch.nn.modules.batchnorm": """
BatchNorm1d BatchNorm2d BatchNorm3d F LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyModuleMixin Module Parameter SyncBatchNorm Tensor
UninitializedBuffer UninitializedParameter init sync_batch_norm torch
""",
    "torch.nn.modules.channelshuffle": "ChannelShuffle F Module Tensor",
    "torch.nn.modules.container": "Container Module ModuleDict ModuleList Parameter ParameterDict ParameterList Sequential T TYPE_CHECKING torch",
    "torch.nn.modules.conv": """
Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d F LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d
LazyConvTranspose3d LazyModuleMixin Module Parameter Tensor UninitializedParameter convolution_notes init reproducibility_notes torch
""",
    "torch.nn.modules.distance": "CosineSimilarity F Module PairwiseDistance Tensor",
    "torch.nn.modules.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d F FeatureAlphaDropout Module Tensor",
    "torch.nn.modules.flatten": "Flatten Module Tensor Unflatten",
    "torch.nn.modules.fold": "F Fold Module Tensor Unfold",
    "torch.nn.modules.instancenorm": "F InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d Tensor",
    "torch.nn.modules.lazy": "LazyModuleMixin is_lazy torch",
    "torch.nn.modules.linear": """
Bilinear F Identity LazyLinear LazyModuleMixin Linear Module NonDynamicallyQuantizableLinear Parameter Tensor UninitializedParameter init torch
""",
    "torch.nn.modules.loss": """
BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss F GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss Linear
LinearCrossEntropyLoss LinearCrossEntropyOptions MSELoss MarginRankingLoss Module MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss
NLLLoss2d PairwiseDistance PoissonNLLLoss SmoothL1Loss SoftMarginLoss Tensor TripletMarginLoss TripletMarginWithDistanceLoss
""",
    "torch.nn.modules.module": """
BackwardHook Buffer Module Parameter RemovableHandle T Tensor device dtype is_traceable_wrapper_subclass register_module_backward_hook
register_module_buffer_registration_hook register_module_forward_hook register_module_forward_pre_hook register_module_full_backward_hook
register_module_full_backward_pre_hook register_module_module_registration_hook register_module_parameter_registration_hook torch
""",
    "torch.nn.modules.normalization": "CrossMapLRN2d F GroupNorm LayerNorm LocalResponseNorm Module Parameter RMSNorm Size Tensor init torch",
    "torch.nn.modules.padding": """
CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d F Module ReflectionPad1d ReflectionPad2d ReflectionPad3d
ReplicationPad1d ReplicationPad2d ReplicationPad3d Tensor ZeroPad1d ZeroPad2d ZeroPad3d
""",
    "torch.nn.modules.pixelshuffle": "F Module PixelShuffle PixelUnshuffle Tensor",
    "torch.nn.modules.pooling": """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d F
FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Module Tensor
""",
    "torch.nn.modules.rnn": "GRU GRUCell LSTM LSTMCell Module PackedSequence Parameter RNN RNNBase RNNCell RNNCellBase Tensor apply_permutation init torch",
    "torch.nn.modules.sparse": "Embedding EmbeddingBag F Module Parameter Tensor init torch",
    "torch.nn.modules.transformer": """
Dropout F LayerNorm Linear Module ModuleList MultiheadAttention Tensor Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
TransformerEncoderLayer torch xavier_uniform_
""",
    "torch.nn.modules.upsampling": "F Module Tensor Upsample UpsamplingBilinear2d UpsamplingNearest2d",
    "torch.nn.modules.utils": "consume_prefix_in_state_dict_if_present",
    "torch.nn.parallel": """
DataParallel DistributedDataParallel DistributedDataParallelCPU comm data_parallel distributed gather parallel_apply replicate scatter scatter_gather
""",
    "torch.nn.parameter": "Buffer Parameter UninitializedBuffer UninitializedParameter UninitializedTensorMixin is_lazy torch",
    "torch.nn.quantized": """
BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional
FloatFunctional GroupNorm Hardswish InstanceNorm1d InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention PReLU
QFunctional Quantize ReLU6 Sigmoid Softmax dynamic functional modules
""",
    "torch.nn.utils": """
clip_grad clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format
convert_parameters fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights fusion get_total_norm init memory_format
parameters_to_vector parametrizations parametrize prune remove_spectral_norm remove_weight_norm rnn skip_init spectral_norm stateless vector_to_parameters
weight_norm
""",
    "torch.nn.utils.clip_grad": "Tensor clip_grad_norm clip_grad_norm_ clip_grad_value_ torch",
    "torch.nn.utils.convert_parameters": "parameters_to_vector torch vector_to_parameters",
    "torch.nn.utils.fusion": "ConvT LinearT fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights torch",
    "torch.nn.utils.init": "skip_init torch",
    "torch.nn.utils.memory_format": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format torch",
    "torch.nn.utils.parametrizations": "F Module Tensor orthogonal parametrize spectral_norm torch weight_norm",
    "torch.nn.utils.parametrize": """
Module ModuleDict ModuleList OpaqueBase Parameter ParametrizationList Tensor cached get_swap_module_params_on_conversion is_opaque_reference_type
is_parametrized is_traceable_wrapper_subclass register_parametrization remove_parametrizations torch transfer_parametrizations_and_params
type_before_parametrizations
""",
    "torch.nn.utils.prune": """
BasePruningMethod CustomFromMask Identity L1Unstructured LnStructured PruningContainer RandomStructured RandomUnstructured custom_from_mask
global_unstructured identity is_pruned l1_unstructured ln_structured random_structured random_unstructured remove torch
""",
    "torch.nn.utils.rnn": """
PackedSequence PackedSequence_ Tensor bind copy_method_params invert_permutation pack_padded_sequence pack_sequence pad_packed_sequence pad_sequence torch
unpack_sequence unpad_sequence
""",
    "torch.nn.utils.spectral_norm": """
F Module SpectralNorm SpectralNormLoadStateDictPreHook SpectralNormStateDictHook T_module remove_spectral_norm spectral_norm torch
""",
    "torch.nn.utils.stateless": "NamedMemberAccessor Tensor functional_call torch",
    "torch.nn.utils.weight_norm": "Module Parameter T_module UninitializedParameter WeightNorm norm_except_dim remove_weight_norm weight_norm",
    "torch.onnx": """
ExportableModule InputObserver JitScalarType ONNXProgram OnnxExporterError OperatorExportTypes TYPE_CHECKING TensorProtoDataType TrainingMode errors export
is_in_onnx_export operators ops producer_name producer_version register_custom_op_symbolic select_model_mode_for_export symbolic_helper symbolic_opset10
symbolic_opset11 symbolic_opset12 symbolic_opset13 symbolic_opset14 symbolic_opset15 symbolic_opset16 symbolic_opset17 symbolic_opset18 symbolic_opset19
symbolic_opset20 symbolic_opset7 symbolic_opset8 symbolic_opset9 testing torch unregister_custom_op_symbolic utils verification
""",
    "torch.onnx.symbolic_helper": """
args_have_same_dtype cast_pytorch_to_onnx check_training_mode dequantize_helper is_complex_value parse_args pytorch_name_to_type quantize_helper
quantized_args requantize_bias_helper scalar_name_to_pytorch scalar_type_to_onnx scalar_type_to_pytorch_type
""",
    "torch.optim": """
ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop SGD SparseAdam lr_scheduler swa_utils
swap_in_optimizer_params_and_state
""",
    "torch.optim.adadelta": "Adadelta Optimizer Tensor adadelta torch",
    "torch.optim.adagrad": "Adagrad Optimizer Tensor adagrad torch",
    "torch.optim.adam": "Adam Optimizer Tensor adam torch",
    "torch.optim.adamax": "Adamax Optimizer Tensor adamax torch",
    "torch.optim.adamw": "Adam AdamW Tensor adam adamw",
    "torch.optim.asgd": "ASGD Optimizer Tensor asgd torch",
    "torch.optim.lbfgs": "LBFGS Optimizer Tensor torch",
    "torch.optim.lr_scheduler": """
ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR EPOCH_DEPRECATION_WARNING ExponentialLR LRScheduler LambdaLR LinearLR
MultiStepLR MultiplicativeLR OneCycleLR Optimizer PolynomialLR ReduceLROnPlateau SequentialLR StepLR TYPE_CHECKING Tensor bisect_right inf
""",
    "torch.optim.nadam": "NAdam Optimizer Tensor nadam torch",
    "torch.optim.optimizer": "Optimizer R RemovableHandle T hooks register_optimizer_step_post_hook register_optimizer_step_pre_hook required torch",
    "torch.optim.radam": "Optimizer RAdam Tensor radam torch",
    "torch.optim.rmsprop": "Optimizer RMSprop Tensor rmsprop torch",
    "torch.optim.rprop": "Optimizer Rprop Tensor rprop torch",
    "torch.optim.sgd": "Optimizer SGD Tensor sgd torch",
    "torch.optim.sparse_adam": "F Optimizer SparseAdam Tensor torch",
    "torch.optim.swa_utils": """
AveragedModel LRScheduler Module SWALR TYPE_CHECKING Tensor get_ema_avg_fn get_ema_multi_avg_fn get_swa_avg_fn get_swa_multi_avg_fn torch update_bn
""",
    "torch.overrides": """
BaseTorchFunctionMode TorchFunctionMode enable_reentrant_dispatch get_default_nowrap_functions get_ignored_functions get_overridable_functions
get_testing_overrides handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic is_tensor_like
is_tensor_method_or_property redispatch_function resolve_name torch wrap_torch_function
""",
    "torch.profiler": """
DeviceType ExecutionTraceObserver KinetoStepTracker Optimizer ProfilerAction ProfilerActivity RecordScope is_fbcode itt kineto_available profile profiler
python_tracer record_function register_optimizer_step_post_hook schedule supported_activities tensorboard_trace_handler
""",
    "torch.quasirandom": "SobolEngine torch",
    "torch.random": "TYPE_CHECKING default_generator fork_rng get_rng_state initial_seed manual_seed seed set_rng_state thread_safe_generator torch",
    "torch.return_types": """
SequenceKey all_return_types aminmax aminmax_out cummax cummax_out cummin cummin_out frexp frexp_out geqrf geqrf_out histogram histogram_out histogramdd
kthvalue kthvalue_out linalg_cholesky_ex linalg_cholesky_ex_out linalg_eig linalg_eig_out linalg_eigh linalg_eigh_out linalg_inv_ex linalg_inv_ex_out
linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_factor_ex_out linalg_ldl_factor_out linalg_lstsq linalg_lstsq_out linalg_lu linalg_lu_factor
linalg_lu_factor_ex linalg_lu_factor_ex_out linalg_lu_factor_out linalg_lu_out linalg_qr linalg_qr_out linalg_slogdet linalg_slogdet_out linalg_solve_ex
linalg_solve_ex_out linalg_svd linalg_svd_out lu_unpack lu_unpack_out max max_out median median_out min min_out mode mode_out name nanmedian nanmedian_out
pytree_register_structseq qr qr_out register_pytree_node return_types slogdet slogdet_out sort sort_out svd svd_out topk topk_out torch triangular_solve
triangular_solve_out
""",
    "torch.serialization": """
DEFAULT_PROTOCOL INT_SIZE IS_WINDOWS LONG_SIZE LoadEndianness MAGIC_NUMBER MAP_PRIVATE MAP_SHARED PROTOCOL_VERSION SHORT_SIZE STORAGE_KEY_SEPARATOR
SourceChangeWarning Storage StorageType T UNSAFE_MESSAGE add_safe_globals check_module_version_greater_or_equal clear_safe_globals default_restore_location
get_crc32_options get_default_load_endianness get_default_mmap_options get_safe_globals get_source_lines_and_file get_unsafe_globals_in_checkpoint load
location_tag mkdtemp normalize_storage_type register_package safe_globals save set_crc32_options set_default_load_endianness set_default_mmap_options
skip_data storage_to_tensor_type torch validate_cuda_device validate_hpu_device
""",
    "torch.signal": "windows",
    "torch.signal.windows": "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall windows",
    "torch.sparse": """
BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor SparseSemiStructuredTensor
SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS TYPE_CHECKING Tensor addmm as_sparse_gradcheck check_sparse_tensor_invariants
log_softmax mm sampled_addmm semi_structured softmax spdiags spsolve sum to_sparse_semi_structured torch
""",
    "torch.special": """
Tensor airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
common_args digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp modified_bessel_i0 modified_bessel_i1 modified_bessel_k0
modified_bessel_k1 multi_dim_common multigammaln ndtr ndtri polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0
torch xlog1py xlogy zeta
""",
    "torch.storage": "HAS_NUMPY Storage T TYPE_CHECKING TypedStorage UntypedStorage torch",
    "torch.testing": "FileCheck assert_allclose assert_close make_tensor",
    "torch.torch_version": "InvalidVersion TorchVersion Version cmp_method internal_version",
    "torch.types": "DispatchKey Size Storage SymBool SymFloat SymInt TYPE_CHECKING Tensor py_sym_types",
    "torch.utils": """
ThroughputBenchmark backcompat backend_registration benchmark bundled_inputs checkpoint cmake_prefix_path collect_env cpp_backtrace cpp_extension data
debug_log deterministic dlpack file_baton flop_counter generate_methods_for_privateuse1_backend get_cpp_backtrace hipify hooks jit mkldnn mobile_optimizer
model_dump model_zoo module_tracker rename_privateuse1_backend serialization set_module show_pickle swap_tensors throughput_benchmark torch viz weak
""",
    "torch.utils.benchmark": """
CallgrindStats Colorize Compare CopyIfCallgrind FunctionCount FunctionCounts FuzzedParameter FuzzedSparseTensor FuzzedTensor Fuzzer Language Measurement
ParameterAlias TaskSpec Timer examples op_fuzzers ordered_unique select_unit set_torch_threads timer torch trim_sigfig unit_to_english utils
""",
    "torch.utils.checkpoint": """
CheckpointError CheckpointFunction CheckpointPolicy DefaultDeviceType GraphExecGroup LoggingTensorMode SAC_IGNORED_OPS SavedTensor
SelectiveCheckpointContext TYPE_CHECKING TorchDispatchMode capture_logs check_backward_validity checkpoint checkpoint_sequential
create_selective_checkpoint_contexts detach_variable fx_traceback get_device_states noop_context_fn set_checkpoint_debug_enabled set_checkpoint_early_stop
set_device_states torch tree_map
""",
    "torch.utils.collect_env": """
COMMON_PATTERNS CONDA_PATTERNS NVIDIA_PATTERNS ONEAPI_PATTERNS PIP_PATTERNS SystemEnv TORCH_AVAILABLE check_release_file env_info_fmt
get_cachingallocator_config get_clang_version get_cmake_version get_conda_packages get_cpu_info get_cuda_module_loading_config get_cudnn_version
get_env_info get_gcc_version get_gpu_info get_intel_gpu_detected get_intel_gpu_driver_version get_intel_gpu_onboard get_libc_version get_linux_pkg_version
get_lsb_version get_mac_version get_nvidia_driver_version get_nvidia_smi get_os get_pip_packages get_platform get_pretty_env_info get_python_platform
get_running_cuda_version get_windows_version is_xnnpack_available main pretty_str run run_and_parse_first_match run_and_read_all run_and_return_first_line
torch
""",
    "torch.utils.cpp_extension": """
ABI_INCOMPATIBILITY_WARNING BuildExtension CLIB_EXT CLIB_PREFIX COMMON_HIPCC_FLAGS COMMON_HIP_FLAGS COMMON_MSVC_FLAGS COMMON_NVCC_FLAGS CUDAExtension
CUDA_CLANG_VERSIONS CUDA_GCC_VERSIONS CUDA_HOME CUDA_MISMATCH_MESSAGE CUDA_MISMATCH_WARN CUDA_NOT_FOUND_MESSAGE CUDNN_HOME CppExtension EXEC_EXT
ExtensionVersioner FileBaton HIP_HOME IS_HIP_EXTENSION IS_LINUX IS_MACOS IS_WINDOWS JIT_EXTENSION_VERSIONER LIB_EXT MINIMUM_CLANG_VERSION
MINIMUM_GCC_VERSION MINIMUM_MSVC_VERSION MSVC_IGNORE_CUDAFE_WARNINGS PLAT_TO_VCVARS ROCM_HOME ROCM_VERSION SHARED_FLAG SUBPROCESS_DECODE_ARGS SYCL_HOME
SyclExtension TORCH_LIB_PATH TYPE_CHECKING TorchVersion Version WINDOWS_CUDA_HOME WRONG_COMPILER_WARNING check_compiler_is_gcc
check_compiler_ok_for_platform get_compiler_abi_compatibility_and_version get_cxx_compiler get_default_build_root include_paths is_ninja_available
library_paths load load_inline min_supported_cpython remove_extension_h_precompiler_headers setuptools torch verify_ninja_availability
""",
    "torch.utils.data": """
BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader Dataset DistributedSampler IterDataPipe IterableDataset MapDataPipe
RandomSampler Sampler SequentialSampler StackDataset Subset SubsetRandomSampler TensorDataset WeightedRandomSampler argument_validation
backward_compatibility dataloader datapipes dataset default_collate default_convert distributed functional_datapipe get_worker_info graph graph_settings
guaranteed_datapipes_determinism non_deterministic random_split runtime_validation runtime_validation_disabled sampler
""",
    "torch.utils.data.dataloader": """
BatchSampler DataLoader Dataset ExceptionWrapper IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler TYPE_CHECKING
default_collate default_convert dist get_worker_info torch
""",
    "torch.utils.data.dataset": """
ChainDataset ConcatDataset Dataset Generator IterableDataset StackDataset Subset Tensor TensorDataset default_generator random_split randperm
""",
    "torch.utils.data.distributed": "Dataset DistributedSampler Sampler dist torch",
    "torch.utils.data.sampler": "BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler torch",
    "torch.utils.dlpack": "DLDeviceType from_dlpack to_dlpack torch",
    "torch.utils.flop_counter": """
FlopCounterMode ModuleTracker TorchDispatchMode addmm_flop aten baddbmm_flop bmm_flop conv_backward_flop conv_flop conv_flop_count convert_num_with_suffix
convert_to_percent_str flop_registry get_shape get_suffix_str mm_flop normalize_tuple prod register_flop_formula sdpa_backward_flop sdpa_backward_flop_count
sdpa_flop sdpa_flop_count shape_wrapper suffixes torch tree_flatten tree_map tree_unflatten
""",
    "torch.utils.hooks": "BackwardHook RemovableHandle torch unserializable_hook warn_if_has_hooks",
    "torch.utils.model_zoo": "load_url tqdm",
    "torch.utils.module_tracker": """
ModuleTracker TYPE_CHECKING register_module_forward_hook register_module_forward_pre_hook register_multi_grad_hook torch tree_flatten
""",
    "torch.utils.weak": "Tensor TensorWeakRef WeakIdKeyDictionary WeakIdRef WeakTensorKeyDictionary",
    "torch.version": "cuda debug git_version hip rocm xpu",
    "torch.xpu": """
Event MemPool Stream StreamContext TYPE_CHECKING XPUGraph XPUPluggableAllocator byref can_device_access_peer change_current_allocator clock_rate
current_device current_stream default_generators device device_count device_memory_used device_of empty_cache get_arch_list get_device_capability
get_device_name get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state get_rng_state_all get_stream_from_external graph
graph_pool_handle graphs init initial_seed is_available is_bf16_supported is_current_stream_capturing is_initialized is_tf32_supported
make_graphed_callables manual_seed manual_seed_all max_memory_allocated max_memory_reserved mem_get_info memory memory_allocated memory_reserved
memory_snapshot memory_stats memory_stats_as_nested_dict memory_usage pointer power_draw random reset_accumulated_memory_stats reset_peak_memory_stats seed
seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream stream streams synchronize temperature torch use_mem_pool
utilization
""",
}
NAMES.update(OTHERS)
