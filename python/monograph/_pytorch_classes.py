"""The names of the public classes of PyTorch 2.13.0. Made by tools/oracle/freeze_names.py."""

CLASSES = {
    "torch.AcceleratorError": "add_note args with_traceback",
    "torch.AggregationType": "AVG SUM name value",
    "torch.AliasDb": "dump has_writers may_contain_alias move_after_topologically_valid move_before_topologically_valid to_graphviz_str",
    "torch.AnyType": "get",
    "torch.Argument": "N alias_info default_value has_default_value is_out is_write kwarg_only name real_type type",
    "torch.AwaitType": "getElementType",
    "torch.BFloat16Storage": "dtype",
    "torch.BenchmarkConfig": "num_calling_threads num_iters num_warmup_iters num_worker_threads profiler_output_path",
    "torch.BenchmarkExecutionStats": "latency_avg_ms num_iters",
    "torch.Block": "addInputToBlock addNode findAllNodes findNode inputs nodes outputs owningNode paramNode registerOutput returnNode",
    "torch.BoolStorage": "dtype",
    "torch.BoolType": "get",
    "torch.BufferDict": "contains getattr items setattr",
    "torch.ByteStorage": "dtype",
    "torch.CharStorage": "dtype",
    "torch.ClassType": "method_names name qualified_name",
    "torch.Code": "differentiable_op_executor_states grad_executor_states num_bailouts request_bailout",
    "torch.CompilationUnit": "create_function define drop_all_functions find_function get_class get_functions get_interface set_optimized",
    "torch.ComplexDoubleStorage": "dtype",
    "torch.ComplexFloatStorage": "dtype",
    "torch.ComplexType": "get",
    "torch.ConcreteModuleType": "dump equals from_jit_type get_attributes get_constants get_modules is_ignored_attribute jit_type py_class",
    "torch.ConcreteModuleTypeBuilder": """
add_attribute add_builtin_function add_constant add_failed_attribute add_forward_hook add_forward_pre_hook add_function_attribute add_ignored_attribute
add_ignored_attributes add_module add_overload build equals set_module_dict set_module_list set_parameter_dict set_parameter_list set_poisoned
""",
    "torch.DeserializationStorageContext": "add_storage get_storage has_storage",
    "torch.DeviceObjType": "get",
    "torch.DictType": "getKeyType getValueType",
    "torch.DispatchKey": """
ADInplaceOrView AutocastCPU AutocastCUDA AutocastHPU AutocastIPU AutocastMPS AutocastPrivateUse1 AutocastXPU Autograd AutogradCPU AutogradCUDA
AutogradFunctionality AutogradHIP AutogradHPU AutogradIPU AutogradLazy AutogradMAIA AutogradMPS AutogradMTIA AutogradMeta AutogradNestedTensor AutogradOther
AutogradPrivateUse1 AutogradPrivateUse2 AutogradPrivateUse3 AutogradVE AutogradXLA AutogradXPU BackendSelect CPU CUDA CompositeExplicitAutograd
CompositeExplicitAutogradNonFunctional CompositeImplicitAutograd CompositeImplicitAutogradNestedTensor Conjugate Dense EndOfAutogradFunctionalityBackends
EndOfDenseBackends EndOfNestedTensorBackends EndOfQuantizedBackends EndOfSparseBackends EndOfSparseCsrBackends FuncTorchBatched
FuncTorchBatchedDecomposition FuncTorchDynamicLayerBackMode FuncTorchDynamicLayerFrontMode FuncTorchGradWrapper FuncTorchVmapMode Functionalize HIP HPU IPU
Lazy MAIA MPS MTIA Meta Negative NestedTensor NestedTensorCPU NestedTensorCUDA NestedTensorHIP NestedTensorHPU NestedTensorIPU NestedTensorLazy
NestedTensorMAIA NestedTensorMPS NestedTensorMTIA NestedTensorMeta NestedTensorPrivateUse1 NestedTensorPrivateUse2 NestedTensorPrivateUse3 NestedTensorVE
NestedTensorXLA NestedTensorXPU PreDispatch PrivateUse1 PrivateUse2 PrivateUse3 Python PythonDispatcher PythonTLSSnapshot Quantized QuantizedCPU
QuantizedCUDA QuantizedHIP QuantizedHPU QuantizedIPU QuantizedLazy QuantizedMAIA QuantizedMPS QuantizedMTIA QuantizedMeta QuantizedPrivateUse1
QuantizedPrivateUse2 QuantizedPrivateUse3 QuantizedVE QuantizedXLA QuantizedXPU Sparse SparseCPU SparseCUDA SparseCsr SparseCsrCPU SparseCsrCUDA
SparseCsrHIP SparseCsrHPU SparseCsrIPU SparseCsrLazy SparseCsrMAIA SparseCsrMPS SparseCsrMTIA SparseCsrMeta SparseCsrPrivateUse1 SparseCsrPrivateUse2
SparseCsrPrivateUse3 SparseCsrVE SparseCsrXLA SparseCsrXPU SparseHIP SparseHPU SparseIPU SparseLazy SparseMAIA SparseMPS SparseMTIA SparseMeta
SparsePrivateUse1 SparsePrivateUse2 SparsePrivateUse3 SparseVE SparseXLA SparseXPU StartOfAutogradFunctionalityBackends StartOfDenseBackends
StartOfNestedTensorBackends StartOfQuantizedBackends StartOfSparseBackends StartOfSparseCsrBackends Undefined VE XLA XPU ZeroTensor name value
""",
    "torch.DispatchKeySet": "add from_raw_repr has highestPriorityTypeId raw_repr remove",
    "torch.DoubleStorage": "dtype",
    "torch.ErrorReport": "call_stack what",
    "torch.Event": "device elapsed_time event_id from_ipc_handle ipc_handle query record synchronize wait",
    "torch.ExecutionPlan": "code graph",
    "torch.FatalError": "add_note args with_traceback",
    "torch.FileCheck": "check check_count check_dag check_next check_not check_regex check_same check_source_highlighted run",
    "torch.FloatType": "get",
    "torch.FunctionSchema": "arguments check_forward_compatible_with is_backward_compatible_with is_mutable name overload_name returns",
    "torch.Future": "add_done_callback done set_result then value wait",
    "torch.FutureType": "getElementType",
    "torch.Generator": "clone_state device get_offset get_state graphsafe_get_state graphsafe_set_state initial_seed manual_seed seed set_offset set_state",
    "torch.GradScaler": """
get_backoff_factor get_growth_factor get_growth_interval get_scale is_enabled load_state_dict scale set_backoff_factor set_growth_factor set_growth_interval
state_dict step unscale_ update
""",
    "torch.Gradient": "df df_input_captured_inputs df_input_captured_outputs df_input_vjps df_output_vjps f f_real_outputs",
    "torch.Graph": """
addInput alias_db appendNode block copy create createClone createCudaFusionGroup createFusionGroup dump_alias_db eraseInput eraseOutput findAllNodes
findNode global_print_source_ranges inputs insert insertConstant insertGraph insertNode insertPoint insert_point_guard lint makeMultiOutputIntoTuple nodes
outputs param_node permuteInputs prependNode registerOutput return_node setInsertPoint set_global_print_source_ranges str
""",
    "torch.GraphExecutorState": "execution_plans fallback graph",
    "torch.HalfStorage": "dtype",
    "torch.InferredType": "reason success type",
    "torch.IntStorage": "dtype",
    "torch.IntType": "get",
    "torch.InterfaceType": "getMethod getMethodNames",
    "torch.JITException": "add_note args with_traceback",
    "torch.ListType": "getElementType ofBools ofComplexDoubles ofFloats ofInts ofStrings ofTensors",
    "torch.LiteScriptModule": "find_method forward run_method",
    "torch.LockingLogger": "get_counter_val set_aggregation_type",
    "torch.LongStorage": "dtype",
    "torch.ModuleDict": "contains getattr items setattr",
    "torch.Node": """
addBlock addInput addOutput attributeNames blocks c c_ cconv copyAttributes copyMetadata destroy eraseOutput f f_ findAllNodes findNode fs fs_ g g_
getModuleHierarchy gs gs_ hasAttribute hasAttributes hasMultipleOutputs hasUses i i_ input inputs inputsAt inputsSize insertAfter insertBefore is isAfter
isBefore isNondeterministic is_ ival ival_ kind kindOf matches moveAfter moveBefore mustBeNone namedInput output outputs outputsAt outputsSize owningBlock
prev pyname pyobj removeAllInputs removeAttribute removeInput replaceAllUsesWith replaceInput replaceInputWith s s_ scalar_args schema scopeName sourceRange
ss ss_ t t_ ts ts_ ty ty_ tys tys_ z z_ zs zs_
""",
    "torch.NoneType": "get",
    "torch.NumberType": "get",
    "torch.OperatorInfo": "num_schema_args",
    "torch.OptionalType": "getElementType ofTensor",
    "torch.OutOfMemoryError": "add_note args with_traceback",
    "torch.ParameterDict": "contains getattr items setattr",
    "torch.PyObjectType": "get",
    "torch.PyTorchFileReader": """
get_all_records get_record get_record_header_offset get_record_offset get_record_offset_no_read get_record_size get_storage_from_record has_record
serialization_id
""",
    "torch.PyTorchFileWriter": "archive_name get_all_written_records serialization_id set_min_version write_end_of_file write_record write_record_metadata",
    "torch.QInt32Storage": "dtype",
    "torch.QInt8Storage": "dtype",
    "torch.QUInt2x4Storage": "dtype",
    "torch.QUInt4x2Storage": "dtype",
    "torch.QUInt8Storage": "dtype",
    "torch.RRefType": "getElementType",
    "torch.ScriptDict": "items keys",
    "torch.ScriptFunction": "code get_debug_state graph graph_for inlined_graph name qualified_name save save_to_buffer schema",
    "torch.ScriptList": "append clear count extend insert pop remove",
    "torch.ScriptMethod": "code code_with_constants graph graph_for inlined_graph name owner raw_owner schema",
    "torch.ScriptModule": "apply children code code_with_constants dump dump_to_str get_debug_state qualified_name save save_to_buffer",
    "torch.ScriptModuleSerializer": "serialize storage_context write_files",
    "torch.ScriptObject": "getattr hasattr setattr",
    "torch.ScriptObjectProperty": "getter name setter",
    "torch.SerializationStorageContext": "get_or_add_storage has_storage",
    "torch.ShortStorage": "dtype",
    "torch.Size": "count index numel",
    "torch.StaticModule": "IndividualMetrics benchmark benchmark_individual_ops runAsync",
    "torch.Storage": "dtype",
    "torch.StorageBase": "copy_ data_ptr device element_size fill_ from_buffer from_file is_shared nbytes new resizable resize_",
    "torch.Stream": "device device_index device_type is_capturing native_handle query record_event stream_id synchronize wait_event wait_stream",
    "torch.StreamObjType": "get",
    "torch.StringType": "get",
    "torch.SymBoolType": "get",
    "torch.SymFloat": "as_integer_ratio conjugate hex is_integer",
    "torch.SymInt": "as_integer_ratio bit_length conjugate",
    "torch.SymIntType": "get",
    "torch.Tag": """
core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view maybe_aliasing_or_mutating name
needs_contiguous_strides needs_exact_strides needs_fixed_stride_order nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise
pt2_compliant_tag reduction value view_copy
""",
    "torch.Tensor": """
H T abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_
adjoint all allclose amax amin aminmax angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_
arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh
atanh_ backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not
bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool broadcast_to byte cauchy_ ccol_indices
cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone
coalesce col_indices conj conj_physical conj_physical_ const_data_ptr contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu
cross crow_indices cuda cummax cummin cumprod cumprod_ cumsum cumsum_ data data_ptr deg2rad deg2rad_ dense_dim dequantize det detach detach_ device diag
diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order dist div div_ divide divide_ dot double dsplit dtype eig element_size eq
eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_ fill_diagonal_ fix fix_ flatten flip
fliplr flipud float float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ ge ge_ geometric_
geqrf ger get_device grad grad_dtype grad_fn greater greater_ greater_equal greater_equal_ gt gt_ half hardshrink hash_tensor heaviside heaviside_ histc
histogram hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ imag index index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put
index_put_ index_reduce index_reduce_ index_select indices inner int int_repr inverse ipu is_coalesced is_complex is_conj is_contiguous is_cpu is_cuda
is_distributed is_floating_point is_inference is_ipu is_leaf is_maia is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_nonzero is_pinned is_quantized
is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr is_vulkan is_xla is_xpu isclose isfinite isinf isnan isneginf isposinf isreal istft item
itemsize kron kthvalue layout lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2
log2_ log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_
logical_xor logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu lu_solve mH mT map2_ map_ masked_fill masked_fill_ masked_scatter masked_scatter_
masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm mode module_load moveaxis movedim msort mtia mul mul_ multinomial
multiply multiply_ mv mvlgamma mvlgamma_ name nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy nbytes ndim ndimension ne ne_
neg neg_ negative negative_ nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero nonzero_static norm
normal_ not_equal not_equal_ numel numpy orgqr ormqr outer output_nr permute pin_memory pinverse polygamma polygamma_ positive pow pow_ prelu prod put put_
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ random_ ravel real reciprocal
reciprocal_ record_stream register_hook register_post_accumulate_grad_hook reinforce relu relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave
requires_grad requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_ resize_as_sparse_ resolve_conj resolve_neg retain_grad retains_grad roll
rot90 round round_ row_indices rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter set_ sgn sgn_
shape share_memory_ short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse slice_scatter slogdet smm softmax solve sort
sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft storage
storage_offset storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes swapaxes_ swapdims swapdims_ symeig t t_ take take_along_dim tan
tan_ tanh tanh_ tensor_split tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr
tolist topk trace transpose transpose_ triangular_solve tril tril_ triu triu_ true_divide true_divide_ trunc trunc_ type type_as unbind unflatten unfold
uniform_ unique unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage values var vdot view view_as
volatile vsplit where xlogy xlogy_ xpu zero_
""",
    "torch.TensorType": "create_from_tensor get getInferred",
    "torch.ThroughputBenchmark": "add_input benchmark run_once",
    "torch.TracingState": "current_scope graph pop_scope push_scope set_graph",
    "torch.TupleType": "elements",
    "torch.Type": """
annotation_str containedTypes contiguous device dim dtype isSubtypeOf is_interface_type kind requires_grad scalarType sizes str strides symbolic_sizes
undefined varyingSizes with_device with_dtype with_sizes
""",
    "torch.TypedStorage": """
bfloat16 bool byte char clone complex_double complex_float copy_ cpu cuda data_ptr device double element_size filename fill_ float float8_e4m3fn
float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz from_buffer from_file get_device half hpu int is_cuda is_hpu is_pinned is_shared is_sparse long nbytes
pickle_storage_type pin_memory resizable resize_ share_memory_ short size to tolist type untyped
""",
    "torch.UntypedStorage": """
bfloat16 bool byte byteswap char clone complex_double complex_float cpu cuda double filename float float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
get_device half hpu int is_cuda is_hpu is_pinned is_sparse is_sparse_csr long mps pin_memory share_memory_ short size to tolist type untyped
""",
    "torch.Use": "isAfter offset user",
    "torch.Value": """
copyMetadata debugName inferTypeFrom isCompleteTensor node offset replaceAllUsesAfterNodeWith replaceAllUsesWith requiresGrad requires_grad setDebugName
setType setTypeAs toIValue type unique uses
""",
    "torch.accelerator.Graph": "capture_begin capture_end debug_dump enable_debug_mode instantiate pool replay reset",
    "torch.amp.grad_scaler.OptState": "READY STEPPED UNSCALED",
    "torch.ao.quantization.AffineQuantizedObserverBase": "calculate_qparams convert with_args",
    "torch.ao.quantization.FakeQuantizeBase": "calculate_qparams disable_fake_quant disable_observer enable_fake_quant enable_observer with_args",
    "torch.ao.quantization.HistogramObserver": "reset_histogram",
    "torch.ao.quantization.MappingType": "ASYMMETRIC SYMMETRIC SYMMETRIC_NO_CLIPPING_ERR",
    "torch.ao.quantization.ObserverBase": "calculate_qparams with_args with_callable_args",
    "torch.ao.quantization.QConfig": "activation count index weight",
    "torch.ao.quantization.QConfigDynamic": "activation count index weight",
    "torch.ao.quantization.QConfigMapping": """
from_dict set_global set_module_name set_module_name_object_type_order set_module_name_regex set_object_type to_dict
""",
    "torch.ao.quantization.QuantType": """
DYNAMIC QAT STATIC WEIGHT_ONLY as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes
""",
    "torch.ao.quantization.RecordingObserver": "get_tensor_value",
    "torch.ao.quantization.TorchAODType": "INT1 INT2 INT3 INT4 INT5 INT6 INT7",
    "torch.ao.quantization.UniformQuantizationObserverBase": "reset_min_max_vals",
    "torch.ao.quantization.ZeroPointDomain": "FLOAT INT NONE",
    "torch.autograd.DeviceType": "CPU CUDA FPGA HIP HPU IDEEP IPU Lazy MAIA MKLDNN MPS MTIA Meta Metal OPENCL OPENGL PrivateUse1 VE Vulkan XLA XPU name value",
    "torch.autograd.Function": """
apply backward boxed_grads_call clear_saved_tensors_on_access dirty_tensors forward generate_vmap_rule jvp materialize_grads maybe_clear_saved_tensors
metadata name needs_input_grad next_functions non_differentiable register_hook register_prehook requires_grad saved_for_forward saved_tensors
saved_variables setup_context to_save vjp vmap
""",
    "torch.autograd.NestedIOFunction": "backward_extended forward_extended",
    "torch.autograd.ProfilerActivity": "CPU CUDA HPU MTIA PrivateUse1 XPU name value",
    "torch.autograd.ProfilerEvent": """
correlation_id cpu_elapsed_us cpu_memory_usage cuda_elapsed_us cuda_memory_usage device flops fwd_thread_id handle has_cuda is_async is_remote kind name
node_id scope sequence_nr shapes stack start_us thread_id
""",
    "torch.autograd.ProfilerState": """
CPU CUDA Disabled ITT KINETO KINETO_GPU_FALLBACK KINETO_PRIVATEUSE1 KINETO_PRIVATEUSE1_FALLBACK NVTX PRIVATEUSE1 name value
""",
    "torch.autograd.SavedTensor": "data register_hooks unpack unpack_hook",
    "torch.autograd.enforce_grad_layout_policy": "clone",
    "torch.autograd.forward_ad.UnpackedDualTensor": "count index primal tangent",
    "torch.autograd.forward_ad.dual_level": "clone",
    "torch.autograd.function.BackwardCFunction": """
apply apply_boxed apply_jvp dirty_tensors materialize_grads maybe_clear_saved_tensors metadata name needs_input_grad next_functions non_differentiable
register_hook register_prehook requires_grad saved_for_forward saved_tensors saved_variables to_save
""",
    "torch.autograd.function.FunctionCtx": "mark_dirty mark_non_differentiable mark_shared_storage save_for_backward save_for_forward set_materialize_grads",
    "torch.autograd.function.FunctionMeta": "mro",
    "torch.autograd.gradcheck.GradcheckError": "add_note args with_traceback",
    "torch.autograd.graph.GradientEdge": "count index node output_nr ownership_token",
    "torch.autograd.graph.Node": "metadata name next_functions register_hook register_prehook",
    "torch.autograd.graph.TorchDispatchMode": "ignore_compile_internals is_infra_mode push supports_higher_order_operators",
    "torch.autograd.profiler.EnforceUnique": "see",
    "torch.autograd.profiler.EventList": """
append clear copy count export_chrome_trace export_stacks extend index insert key_averages pop remove reverse self_cpu_time_total sort
supported_export_stacks_metrics table total_average
""",
    "torch.autograd.profiler.FunctionEvent": """
append_cpu_child append_kernel cpu_time_total cuda_time_total device_time_total key metadata_json self_cpu_memory_usage self_cpu_time_total
self_cuda_memory_usage self_cuda_time_total self_device_memory_usage self_device_time_total set_cpu_parent
""",
    "torch.autograd.profiler.MemRecordsAcc": "in_interval",
    "torch.autograd.profiler.profile": """
config create_trace_id default_trace_id export_chrome_trace export_stacks function_events key_averages self_cpu_time_total table toggle_collection_dynamic
total_average
""",
    "torch.autograd.profiler_util.EventMetadata": """
bandwidth_gb_s block blocks_per_sm bytes channel channel_type collective_name context count dst_rank dtype est_occupancy_pct global_rank_start
global_rank_stride graph_id graph_node_id grid group_ranks group_size in_msg_nelems in_split_size index is_async occupancy out_msg_nelems out_split_size
priority process_group_desc process_group_name queued rank registers_per_thread seq shared_memory src_rank stream warps_per_sm
""",
    "torch.autograd.profiler_util.FormattedTimesMixin": """
cpu_time cpu_time_str cpu_time_total_str cuda_time device_time device_time_str device_time_total_str self_cpu_time_total_str self_device_time_total_str
""",
    "torch.autograd.profiler_util.FunctionEventAvg": "add",
    "torch.autograd.profiler_util.Interval": "elapsed_us",
    "torch.autograd.profiler_util.Kernel": "count device duration index name",
    "torch.autograd.profiler_util.StringTable": "clear copy default_factory fromkeys get items keys pop popitem setdefault update values",
    "torch.autograd.set_multithreading_enabled": "clone",
    "torch.autograd.variable.ImperativeEngine": "is_checkpoint_valid queue_callback run_backward",
    "torch.autograd.variable.VariableMeta": "mro",
    "torch.backends.cuda.cuFFTPlanCache": "clear max_size size",
    "torch.backends.xeon.run_cpu.Std": "ERR OUT as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes",
    "torch.compiler.CacheInfo": "add aot_autograd_artifacts autotune_artifacts clear empty inductor_artifacts pgo_artifacts precompile_artifacts",
    "torch.compiler.NestedCompileRegionOptions": "bw_compiler decompositions fw_compiler partitioner",
    "torch.cpu.Event": "query record synchronize wait",
    "torch.cpu.Stream": "record_event wait_event wait_stream",
    "torch.cuda.BFloat16Storage": "dtype",
    "torch.cuda.BoolStorage": "dtype",
    "torch.cuda.ByteStorage": "dtype",
    "torch.cuda.CUDAGraph": """
capture_begin capture_end debug_dump enable_debug_mode get_graph_data instantiate pool raw_cuda_graph raw_cuda_graph_exec replay reset
""",
    "torch.cuda.CUDAPluggableAllocator": "allocator",
    "torch.cuda.CharStorage": "dtype",
    "torch.cuda.ComplexDoubleStorage": "dtype",
    "torch.cuda.ComplexFloatStorage": "dtype",
    "torch.cuda.CudaError": "add_note args with_traceback",
    "torch.cuda.DeferredCudaCallError": "add_note args with_traceback",
    "torch.cuda.DoubleStorage": "dtype",
    "torch.cuda.Event": "elapsed_time from_ipc_handle ipc_handle query record synchronize wait",
    "torch.cuda.FloatStorage": "dtype",
    "torch.cuda.GreenContext": "Stream create max_workqueue_concurrency pop_context set_context",
    "torch.cuda.HalfStorage": "dtype",
    "torch.cuda.IntStorage": "dtype",
    "torch.cuda.LongStorage": "dtype",
    "torch.cuda.MemPool": "id snapshot use_count",
    "torch.cuda.ShortStorage": "dtype",
    "torch.cuda.Stream": "query record_event synchronize wait_event wait_stream",
    "torch.cuda.cudaStatus": "ERROR_NOT_READY SUCCESS",
    "torch.cuda.graph": "default_capture_stream",
    "torch.device": "index type",
    "torch.distributed.AllToAllOptions": "asyncOp timeout",
    "torch.distributed.AllreduceCoalescedOptions": "asyncOp reduceOp timeout",
    "torch.distributed.AllreduceOptions": "asyncOp reduceOp timeout",
    "torch.distributed.Backend": """
FAKE GLOO MPI NCCL UCC UNDEFINED XCCL backend_capability backend_list backend_type_map capitalize casefold center count default_device_backend_map encode
endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle
isupper join ljust lower lstrip maketrans partition register_backend removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split
splitlines startswith strip swapcase title translate upper zfill
""",
    "torch.distributed.BackendConfig": "get_device_backend_map",
    "torch.distributed.BarrierOptions": "asyncOp device device_ids timeout",
    "torch.distributed.BroadcastOptions": "asyncOp rootRank rootTensor timeout",
    "torch.distributed.BuiltinCommHookType": "ALLREDUCE FP16_COMPRESS name value",
    "torch.distributed.DebugLevel": "DETAIL INFO OFF name value",
    "torch.distributed.DeviceMesh": """
device_type from_group get_all_groups get_coordinate get_group get_local_rank get_rank mesh mesh_dim_names ndim shape size
""",
    "torch.distributed.DistError": "add_note args with_traceback",
    "torch.distributed.FileStore": "path",
    "torch.distributed.GatherOptions": "asyncOp rootRank timeout",
    "torch.distributed.GradBucket": "buffer gradients index is_last parameters set_buffer",
    "torch.distributed.GroupMember": "NON_GROUP_MEMBER",
    "torch.distributed.Logger": "set_construction_data_and_log set_error_and_log set_runtime_stats_and_log",
    "torch.distributed.PrefixStore": "underlying_store",
    "torch.distributed.ProcessGroup": """
BackendType CUSTOM GLOO MPI NCCL UCC UNDEFINED XCCL abort all_gather_single all_gather_single_coalesced all_to_all_single allgather allgather_coalesced
allgather_into_tensor_coalesced allreduce allreduce_coalesced alltoall alltoall_base barrier bound_device_id boxed broadcast gather get_group_store
group_desc group_name merge_remote_group monitored_barrier name rank recv recv_anysource reduce reduce_scatter reduce_scatter_single
reduce_scatter_single_coalesced reduce_scatter_tensor_coalesced scatter send set_timeout shutdown size split_group unbox use_pg_for_symm_mem_rendezvous
""",
    "torch.distributed.ProcessGroupGloo": """
Device Options abort allgather allgather_coalesced allocate_tensor allreduce allreduce_coalesced alltoall alltoall_base barrier broadcast
create_default_device create_device eager_connect_single_device gather mem_allocator memory_stats monitored_barrier name options rank recv recv_anysource
reduce reduce_scatter resume scatter send setUsePgForSymmMemRendezvous set_timeout shrink shutdown size supports_coalescing supports_shrinking
supports_splitting supports_tensor_alloc supports_time_estimate suspend
""",
    "torch.distributed.ReduceOp": "AVG BAND BOR BXOR MAX MIN PREMUL_SUM PRODUCT RedOpType SUM factor op",
    "torch.distributed.ReduceOptions": "asyncOp reduceOp rootRank rootTensor timeout",
    "torch.distributed.ReduceScatterOptions": "asyncOp reduceOp timeout",
    "torch.distributed.Reducer": "get_backward_stats prepare_for_backward prepare_for_forward set_logger",
    "torch.distributed.ScatterOptions": "asyncOp rootRank timeout",
    "torch.distributed.Store": """
add append barrier check clone compare_set delete_key get has_extended_api list_keys multi_get multi_set num_keys queue_len queue_pop queue_push set
set_timeout timeout wait
""",
    "torch.distributed.TCPStore": "host libuvBackend port",
    "torch.distributed.Work": """
block_current_stream boxed exception get_future get_future_result is_completed is_success result source_rank synchronize unbox wait
""",
    "torch.distributions.AbsTransform": "codomain domain",
    "torch.distributions.AffineTransform": "codomain domain",
    "torch.distributions.Bernoulli": "logits param_shape probs",
    "torch.distributions.Beta": "concentration0 concentration1",
    "torch.distributions.Binomial": "logits param_shape probs",
    "torch.distributions.CatTransform": "codomain domain length",
    "torch.distributions.Categorical": "logits param_shape probs",
    "torch.distributions.Chi2": "df",
    "torch.distributions.ComposeTransform": "codomain domain",
    "torch.distributions.ContinuousBernoulli": "logits param_shape probs",
    "torch.distributions.CorrCholeskyTransform": "codomain domain",
    "torch.distributions.CumulativeDistributionTransform": "codomain domain",
    "torch.distributions.Distribution": """
arg_constraints batch_shape cdf entropy enumerate_support event_shape expand has_enumerate_support has_rsample icdf log_prob mean mode perplexity rsample
sample sample_n set_default_validate_args stddev support variance
""",
    "torch.distributions.ExpTransform": "codomain domain",
    "torch.distributions.GeneralizedPareto": "log_cdf log_survival_function",
    "torch.distributions.Geometric": "logits probs",
    "torch.distributions.HalfCauchy": "scale",
    "torch.distributions.HalfNormal": "scale",
    "torch.distributions.IndependentTransform": "codomain domain",
    "torch.distributions.InverseGamma": "concentration rate",
    "torch.distributions.LogNormal": "loc scale",
    "torch.distributions.LogisticNormal": "loc scale",
    "torch.distributions.LowRankMultivariateNormal": "covariance_matrix precision_matrix scale_tril",
    "torch.distributions.LowerCholeskyTransform": "codomain domain",
    "torch.distributions.MixtureSameFamily": "component_distribution mixture_distribution",
    "torch.distributions.Multinomial": "logits param_shape probs",
    "torch.distributions.MultivariateNormal": "covariance_matrix precision_matrix scale_tril",
    "torch.distributions.NegativeBinomial": "logits param_shape probs",
    "torch.distributions.OneHotCategorical": "logits param_shape probs",
    "torch.distributions.PositiveDefiniteTransform": "codomain domain",
    "torch.distributions.PowerTransform": "codomain domain",
    "torch.distributions.RelaxedBernoulli": "logits probs temperature",
    "torch.distributions.RelaxedOneHotCategorical": "logits probs temperature",
    "torch.distributions.ReshapeTransform": "codomain domain",
    "torch.distributions.SigmoidTransform": "codomain domain",
    "torch.distributions.SoftmaxTransform": "codomain domain",
    "torch.distributions.SoftplusTransform": "codomain domain",
    "torch.distributions.StackTransform": "codomain domain",
    "torch.distributions.StickBreakingTransform": "codomain domain",
    "torch.distributions.TanhTransform": "codomain domain",
    "torch.distributions.Transform": "bijective event_dim forward_shape inv inverse_shape log_abs_det_jacobian sign with_cache",
    "torch.distributions.Wishart": "covariance_matrix precision_matrix scale_tril",
    "torch.distributions.constraint_registry.ConstraintRegistry": "register",
    "torch.distributions.constraints.Constraint": "check event_dim is_discrete",
    "torch.distributions.constraints.dependent_property": "deleter fdel fget fset getter setter",
    "torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli": "logits param_shape probs",
    "torch.distributions.relaxed_categorical.ExpRelaxedCategorical": "logits param_shape probs",
    "torch.dtype": "abbr is_complex is_floating_point is_signed itemsize to_complex to_real",
    "torch.enable_grad": "clone",
    "torch.finfo": "bits dtype eps max min resolution smallest_normal tiny",
    "torch.fx.CodeGen": "additional_globals gen_fn_def generate_output process_inputs process_outputs",
    "torch.fx.Graph": """
call_function call_method call_module create_node create_size_node create_storage_offset_node create_stride_node eliminate_dead_code erase_node find_nodes
get_attr graph_copy inserting_after inserting_before lint materialize_symint materialize_symints node_copy nodes on_generate_code output output_node
owning_module placeholder print_tabular process_inputs process_outputs python_code set_codegen
""",
    "torch.fx.GraphModule": "add_submodule code delete_all_unused_submodules delete_submodule graph print_readable recompile to_folder",
    "torch.fx.Interpreter": """
boxed_run call_function call_method call_module fetch_args_kwargs_from_env fetch_attr get_attr map_nodes_to_values output placeholder run run_node
""",
    "torch.fx.Node": """
all_input_nodes append args format_node graph insert_arg is_impure kwargs meta name next normalized_arguments op prepend prev replace_all_uses_with
replace_input_with stack_trace target type update_arg update_kwarg users
""",
    "torch.fx.Proxy": "keys",
    "torch.fx.ProxyableClassMeta": "mro",
    "torch.fx.Tracer": "call_module create_args_for_root get_fresh_qualname getattr is_leaf_module path_of_module trace",
    "torch.fx.Transformer": "transform",
    "torch.fx.experimental.const_fold.FoldedGraphModule": "run_folding",
    "torch.fx.experimental.normalize.NormalizeOperators": "binary_magic_method_remap",
    "torch.fx.experimental.optimization.UnionFind": "find join make_set",
    "torch.fx.experimental.proxy_tensor.FunctionalTensor": """
commit_update from_functional is_base_tensor mark_mutation_hidden_from_autograd metadata_fns replace_ sync to_functional
""",
    "torch.fx.experimental.proxy_tensor.HigherOrderOperator": """
cacheable dispatch fallthrough gen_schema has_kernel_for_any_dispatch_key has_kernel_for_dispatch_key name namespace py_autograd_impl py_functionalize_impl
py_impl
""",
    "torch.fx.experimental.proxy_tensor.ProxyTorchDispatchMode": "enable_decompositions enable_tracing",
    "torch.fx.experimental.proxy_tensor.PythonKeyTracer": "enable_thunkify unwrap_proxy",
    "torch.fx.experimental.proxy_tensor.SymNode": """
abs add and_ bitwise_and bitwise_or bitwise_xor bool_ ceil clone eq evaluate expect_true expr float_pow float_truediv floor floordiv ge gt guard_bool
guard_float guard_int guard_or_false guard_or_true guard_size_oblivious has_hint hint int_ int_floordiv int_truediv is_bool is_channels_last_contiguous_2d
is_channels_last_contiguous_3d is_channels_last_strides_2d is_channels_last_strides_3d is_constant is_contiguous is_float is_int is_integer is_nested_int
is_non_overlapping_and_dense is_non_overlapping_and_dense_indicator is_symbolic le lshift lt maybe_as_bool maybe_as_float maybe_as_int mod mul ne neg
nested_int or_ pos pow pow_by_natural round rshift statically_known_true str sub sym_acos sym_and sym_asin sym_atan sym_cos sym_cosh sym_float sym_int
sym_ite sym_log2 sym_max sym_min sym_not sym_or sym_sin sym_sinh sym_sqrt sym_sum sym_tan sym_tanh truediv trunc with_shape_env wrap_bool wrap_float
wrap_int
""",
    "torch.fx.experimental.proxy_tensor.Thunk": "f force r",
    "torch.fx.experimental.proxy_tensor.TraceableWrapperSubclass": "dim size storage_offset stride to",
    "torch.fx.experimental.rewriter.AST_Rewriter": "generic_visit rewrite visit visit_AnnAssign visit_Assert visit_Constant",
    "torch.fx.graph.TensorType": "dims",
    "torch.fx.graph.immutable_dict": "clear copy fromkeys get items keys pop popitem setdefault update values",
    "torch.fx.graph_module.Importer": "get_name import_module whichmodule",
    "torch.fx.graph_module.PackageExporter": """
add_dependency all_paths close denied_modules deny dependency_graph_string extern externed_modules get_rdeps get_unique_id intern interned_modules mock
mocked_modules register_extern_hook register_intern_hook register_mock_hook save_binary save_module save_pickle save_source_file save_source_string
save_text
""",
    "torch.fx.graph_module.PackageImporter": "file_structure get_resource_reader get_source id load_binary load_pickle load_text python_version",
    "torch.fx.node.ArgsKwargsPair": "args count index kwargs",
    "torch.fx.passes.fake_tensor_prop.FakeTensorProp": "propagate propagate_dont_convert_inputs",
    "torch.fx.passes.fake_tensor_prop.OrderedSet": """
add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset issuperset pop remove symmetric_difference
symmetric_difference_update union update
""",
    "torch.fx.passes.graph_manipulation.size_bytes": "count index output_size total_size",
    "torch.fx.passes.graph_transform_observer.GraphTransformObserver": """
apply_gm_pass apply_graph_pass get_current_pass_count get_deepcopy_hook get_node_creation_hook get_node_erase_hook get_node_replace_hook
""",
    "torch.fx.passes.infra.partitioner.CapabilityBasedPartitioner": "fuse_partitions partition_and_fuse propose_partitions remove_bookend_non_compute_ops",
    "torch.fx.passes.infra.partitioner.Partition": "add_node remove_node size",
    "torch.fx.passes.infra.pass_base.PassBase": "call ensures requires",
    "torch.fx.passes.infra.pass_base.PassResult": "count graph_module index modified",
    "torch.fx.passes.infra.pass_manager.PassManager": "add_checks add_constraint add_pass check solve_constraints steps validate_constraints",
    "torch.fx.passes.net_min_base.FxNetAccFusionsFinder": "FusionGroup recursive_add_node",
    "torch.fx.passes.net_min_base.FxNetMinimizerBadModuleError": "add_note args with_traceback",
    "torch.fx.passes.net_min_base.FxNetMinimizerResultMismatchError": "add_note args with_traceback",
    "torch.fx.passes.net_min_base.FxNetMinimizerRunFuncError": "add_note args with_traceback",
    "torch.fx.passes.operator_support.OpSupports": "decline_if_input_dtype decline_if_node_in_names",
    "torch.fx.passes.pass_manager.PassManager": "add_constraint add_pass build_from_passlist remove_pass replace_pass validate",
    "torch.fx.passes.reinplace.FakeTensor": """
fake_device from_tensor get_nested_int item_memo nested_int_memo nonzero_memo unique_consecutive_memo unique_memo
""",
    "torch.fx.passes.reinplace.FakeTensorMode": """
avoid_device_init cache cache_bypasses cache_clear cache_hits cache_info cache_misses can_run_unsafe_fallback cpp_meta_supports_symint
create_symbolic_nested_int dispatch epoch from_tensor in_kernel_invocation invalidate_written_to_constants is_our_fake lift_fns may_turn_const
nt_tensor_id_counter nt_tensor_id_initial_count reset_nt_tensor_id_counter stack validate_and_convert_non_fake_tensors
wrap_meta_outputs_with_default_device_logic
""",
    "torch.fx.passes.reinplace.StorageWeakRef": "cdata expired from_weakref",
    "torch.fx.passes.shape_prop.ShapeProp": "propagate",
    "torch.fx.passes.shape_prop.TensorMetadata": "count dtype index is_quantized memory_format qparams requires_grad shape stride",
    "torch.fx.passes.split_utils.Component": "gm",
    "torch.fx.passes.splitter_base.FxNetAccNodesFinder": """
reduce_acc_nodes_non_tensor_input reduce_acc_nodes_non_tensor_input_helper reduce_acc_nodes_non_tensor_output
""",
    "torch.fx.passes.splitter_base.FxNetSplitterInternalError": "add_note args with_traceback",
    "torch.fx.passes.splitter_base.NodeEvent": "to_str",
    "torch.fx.passes.splitter_base.NodeEventTracker": "add dump print_all print_node to_dict",
    "torch.fx.passes.splitter_base.OperatorSupportBase": "is_node_supported",
    "torch.fx.passes.splitter_base.SplitResult": "count index non_acc_submodule_prefix split_module submodule_inputs",
    "torch.fx.passes.splitter_base.Subgraph": "device_ordinal",
    "torch.fx.passes.utils.common.SubgraphMatcher": "match",
    "torch.fx.proxy.Attribute": "node",
    "torch.fx.proxy.CapturedTraceback": "cleanup extract format format_all skip summary tb",
    "torch.fx.proxy.ParameterProxy": "dim ndim nelement numel shape size",
    "torch.fx.proxy.TraceError": "add_note args with_traceback",
    "torch.fx.proxy.TracerBase": """
check_mutable_operations create_arg create_node create_proxy iter keys proxy proxy_buffer_attributes record_stack_traces to_bool trace_asserts
traced_func_name
""",
    "torch.fx.proxy.immutable_list": "append clear copy count extend index insert pop remove reverse sort",
    "torch.fx.subgraph_rewriter.Match": "anchor count index nodes_map",
    "torch.fx.traceback.NodeSource": "NodeInfo graph_id name print_readable target to_dict",
    "torch.fx.traceback.NodeSourceAction": "CREATE REPLACE",
    "torch.hub.tqdm": "close set_description update write",
    "torch.iinfo": "bits dtype max min",
    "torch.inference_mode": "clone",
    "torch.jit.Attribute": "count index type value",
    "torch.jit.Future": "set_exception",
    "torch.jit.RecursiveScriptClass": "forward_magic_method",
    "torch.jit.ScriptModule": """
code code_with_constants define forward_magic_method get_debug_state graph graph_for inlined_graph original_name save save_to_buffer
""",
    "torch.jit.ScriptWarning": "add_note args with_traceback",
    "torch.jit.TracerWarning": "add_note args ignore_lib_warnings with_traceback",
    "torch.jit.TracingCheckError": "add_note args with_traceback",
    "torch.jit.annotations.EvalEnv": "env",
    "torch.jit.annotations.OpOverloadPacket": "op op_overloads overloads",
    "torch.jit.annotations.RRef": "backward confirmed_by_owner is_owner local_value owner owner_name remote rpc_async rpc_sync to_here",
    "torch.library.CustomOpDef": """
register_autocast register_autograd register_effect register_fake register_kernel register_torch_dispatch register_vmap set_kernel_enabled
""",
    "torch.library.EffectType": "ORDERED",
    "torch.library.Library": "define fallback impl register_symm_mem_args",
    "torch.library.OpOverload": """
decompose has_kernel_for_any_dispatch_key has_kernel_for_dispatch_key name namespace op overloadpacket py_functionalize_impl py_impl redispatch tags
""",
    "torch.linalg.LinAlgError": "add_note args with_traceback",
    "torch.mps.Event": "elapsed_time query record synchronize wait",
    "torch.mtia.DeferredMtiaCallError": "add_note args with_traceback",
    "torch.mtia.MTIAGraph": "capture_begin capture_end instantiate pool replay reset",
    "torch.mtia.graph": "default_capture_stream",
    "torch.multiprocessing.ProcessContext": "join pids",
    "torch.multiprocessing.ProcessExitedException": "add_note args error_index error_pid exit_code with_traceback",
    "torch.multiprocessing.ProcessRaisedException": "add_note args error_index error_pid with_traceback",
    "torch.nn.AdaptiveLogSoftmaxWithLoss": "log_prob predict reset_parameters",
    "torch.nn.BatchNorm1d": "reset_parameters reset_running_stats",
    "torch.nn.BatchNorm2d": "reset_parameters reset_running_stats",
    "torch.nn.BatchNorm3d": "reset_parameters reset_running_stats",
    "torch.nn.Bilinear": "reset_parameters",
    "torch.nn.Conv1d": "reset_parameters",
    "torch.nn.Conv2d": "reset_parameters",
    "torch.nn.Conv3d": "reset_parameters",
    "torch.nn.ConvTranspose1d": "reset_parameters",
    "torch.nn.ConvTranspose2d": "reset_parameters",
    "torch.nn.ConvTranspose3d": "reset_parameters",
    "torch.nn.DataParallel": "gather parallel_apply replicate scatter",
    "torch.nn.Embedding": "from_pretrained reset_parameters",
    "torch.nn.EmbeddingBag": "from_pretrained reset_parameters",
    "torch.nn.GroupNorm": "reset_parameters",
    "torch.nn.InstanceNorm1d": "reset_parameters reset_running_stats",
    "torch.nn.InstanceNorm2d": "reset_parameters reset_running_stats",
    "torch.nn.InstanceNorm3d": "reset_parameters reset_running_stats",
    "torch.nn.LSTM": "get_expected_cell_size",
    "torch.nn.LayerNorm": "reset_parameters",
    "torch.nn.LazyBatchNorm1d": "reset_parameters reset_running_stats",
    "torch.nn.LazyBatchNorm2d": "reset_parameters reset_running_stats",
    "torch.nn.LazyBatchNorm3d": "reset_parameters reset_running_stats",
    "torch.nn.LazyInstanceNorm1d": "reset_parameters reset_running_stats",
    "torch.nn.LazyInstanceNorm2d": "reset_parameters reset_running_stats",
    "torch.nn.LazyInstanceNorm3d": "reset_parameters reset_running_stats",
    "torch.nn.Linear": "reset_parameters",
    "torch.nn.LinearCrossEntropyOptions": "acc_dtype acc_policy allow_retain_graph batch_chunk_size chunking_method",
    "torch.nn.Module": """
T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval extra_repr float forward get_buffer
get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers named_children named_modules named_parameters parameters
register_backward_hook register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook
register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train type xpu zero_grad
""",
    "torch.nn.ModuleDict": "clear items keys pop update values",
    "torch.nn.ModuleList": "append extend insert pop",
    "torch.nn.MultiheadAttention": "merge_masks",
    "torch.nn.PReLU": "reset_parameters",
    "torch.nn.ParameterDict": "clear copy fromkeys get items keys pop popitem setdefault update values",
    "torch.nn.ParameterList": "append extend",
    "torch.nn.RMSNorm": "reset_parameters",
    "torch.nn.RNNBase": """
all_weights check_forward_args check_hidden_size check_input flatten_parameters get_expected_hidden_size permute_hidden reset_parameters
""",
    "torch.nn.RNNCellBase": "reset_parameters",
    "torch.nn.Sequential": "append extend insert pop",
    "torch.nn.SyncBatchNorm": "convert_sync_batchnorm reset_parameters reset_running_stats",
    "torch.nn.Transformer": "generate_square_subsequent_mask",
    "torch.nn.UninitializedBuffer": "cls_to_become",
    "torch.nn.UninitializedParameter": "cls_to_become",
    "torch.nn.attention.SDPAParams": "attn_mask dropout enable_gqa is_causal key query value",
    "torch.nn.attention.SDPBackend": "CUDNN_ATTENTION EFFICIENT_ATTENTION ERROR FLASH_ATTENTION MATH OVERRIDEABLE name value",
    "torch.nn.attention.bias.CausalVariant": """
LOWER_RIGHT UPPER_LEFT as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes
""",
    "torch.nn.functional.ScalingType": "BlockWise128x128 BlockWise1x128 BlockWise1x16 BlockWise1x32 RowWise TensorWise name value",
    "torch.nn.functional.SwizzleType": "NO_SWIZZLE SWIZZLE_32_4_4 name value",
    "torch.nn.modules.conv.LazyModuleMixin": "cls_to_become has_uninitialized_params initialize_parameters",
    "torch.nn.parallel.DistributedDataParallel": """
broadcast_buffers gather join join_device join_hook join_process_group no_sync register_comm_hook scatter to_kwargs will_sync_module_buffers
""",
    "torch.nn.parameter.UninitializedTensorMixin": "materialize shape share_memory_",
    "torch.nn.quantized.BatchNorm2d": "from_float from_reference reset_parameters reset_running_stats",
    "torch.nn.quantized.BatchNorm3d": "from_float from_reference reset_parameters reset_running_stats",
    "torch.nn.quantized.Conv1d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.Conv2d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.Conv3d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.ConvTranspose1d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.ConvTranspose2d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.ConvTranspose3d": "bias from_float from_reference get_qconv set_weight_bias weight",
    "torch.nn.quantized.DeQuantize": "from_float",
    "torch.nn.quantized.Dropout": "from_float from_reference",
    "torch.nn.quantized.ELU": "from_float from_reference",
    "torch.nn.quantized.Embedding": "from_float from_reference set_weight weight",
    "torch.nn.quantized.FXFloatFunctional": "add add_relu add_scalar cat matmul mul mul_scalar",
    "torch.nn.quantized.FloatFunctional": "add add_relu add_scalar cat matmul mul mul_scalar",
    "torch.nn.quantized.GroupNorm": "from_float",
    "torch.nn.quantized.Hardswish": "from_float from_reference",
    "torch.nn.quantized.InstanceNorm1d": "from_float from_reference",
    "torch.nn.quantized.InstanceNorm2d": "from_float from_reference",
    "torch.nn.quantized.InstanceNorm3d": "from_float from_reference",
    "torch.nn.quantized.LSTM": "from_float from_observed",
    "torch.nn.quantized.LayerNorm": "from_float from_reference",
    "torch.nn.quantized.LeakyReLU": "from_float from_reference",
    "torch.nn.quantized.Linear": "bias from_float from_reference set_weight_bias weight",
    "torch.nn.quantized.MultiheadAttention": "dequantize from_float from_observed",
    "torch.nn.quantized.PReLU": "from_float from_reference set_weight",
    "torch.nn.quantized.QFunctional": "add add_relu add_scalar cat from_float matmul mul mul_scalar",
    "torch.nn.quantized.Quantize": "from_float",
    "torch.nn.quantized.ReLU6": "from_float",
    "torch.nn.quantized.Sigmoid": "from_float",
    "torch.nn.quantized.Softmax": "from_float from_reference",
    "torch.nn.utils.parametrize.ParametrizationList": "right_inverse",
    "torch.nn.utils.prune.BasePruningMethod": "apply apply_mask compute_mask prune remove",
    "torch.nn.utils.prune.CustomFromMask": "PRUNING_TYPE",
    "torch.nn.utils.prune.Identity": "PRUNING_TYPE",
    "torch.nn.utils.prune.L1Unstructured": "PRUNING_TYPE",
    "torch.nn.utils.prune.LnStructured": "PRUNING_TYPE",
    "torch.nn.utils.prune.PruningContainer": "add_pruning_method",
    "torch.nn.utils.prune.RandomStructured": "PRUNING_TYPE",
    "torch.nn.utils.prune.RandomUnstructured": "PRUNING_TYPE",
    "torch.nn.utils.rnn.PackedSequence": "byte char cpu cuda double float half int is_cuda is_pinned long pin_memory short to",
    "torch.nn.utils.rnn.PackedSequence_": "batch_sizes count data index sorted_indices unsorted_indices",
    "torch.nn.utils.spectral_norm.SpectralNorm": "apply compute_weight remove reshape_weight_to_matrix",
    "torch.nn.utils.stateless.NamedMemberAccessor": """
check_keys del_tensor del_tensors get_submodule get_tensor get_tensors named_buffers named_modules named_parameters named_tensors set_tensor set_tensors
set_tensors_dict swap_submodule swap_tensor swap_tensors swap_tensors_dict
""",
    "torch.nn.utils.weight_norm.WeightNorm": "apply compute_weight remove",
    "torch.no_grad": "clone",
    "torch.onnx.ExportableModule": "dynamic_shapes example_arguments input_names output_names to_onnx",
    "torch.onnx.InputObserver": "check_discrepancies infer_arguments infer_dynamic_shapes num_obs",
    "torch.onnx.JitScalarType": """
BFLOAT16 BOOL COMPLEX128 COMPLEX32 COMPLEX64 DOUBLE FLOAT FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ HALF INT INT16 INT64 INT8 QINT32 QINT8
QUINT8 UINT8 UNDEFINED as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes
""",
    "torch.onnx.ONNXProgram": "apply_weights call_reference compute_values initialize_inference_session model_proto optimize release rename_axes save",
    "torch.onnx.OnnxExporterError": "add_note args with_traceback",
    "torch.onnx.OperatorExportTypes": "ONNX ONNX_ATEN ONNX_ATEN_FALLBACK ONNX_FALLTHROUGH name value",
    "torch.onnx.TensorProtoDataType": """
BFLOAT16 BOOL COMPLEX128 COMPLEX64 DOUBLE FLOAT FLOAT16 FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ INT16 INT32 INT64 INT8 STRING UINT16 UINT32
UINT64 UINT8 UNDEFINED name value
""",
    "torch.onnx.TrainingMode": "EVAL PRESERVE TRAINING name value",
    "torch.optim.Adagrad": "share_memory",
    "torch.optim.Optimizer": """
OptimizerPostHook OptimizerPreHook add_param_group load_state_dict profile_hook_step register_load_state_dict_post_hook register_load_state_dict_pre_hook
register_state_dict_post_hook register_state_dict_pre_hook register_step_post_hook register_step_pre_hook state_dict step zero_grad
""",
    "torch.optim.lr_scheduler.CyclicLR": "scale_fn",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "in_cooldown",
    "torch.optim.lr_scheduler.SequentialLR": "recursive_undo",
    "torch.optim.swa_utils.AveragedModel": "update_parameters",
    "torch.optim.swa_utils.LRScheduler": "get_last_lr get_lr load_state_dict state_dict step",
    "torch.overrides.TorchFunctionMode": "push",
    "torch.profiler.ExecutionTraceObserver": """
build_execution_trace_obs_from_env cleanup get_output_file_path get_resources_dir get_resources_dir_for_et_path is_registered is_running register_callback
set_extra_resource_collection start stop unregister_callback
""",
    "torch.profiler.KinetoStepTracker": "current_step erase_step_count increment_step init_step_count",
    "torch.profiler.ProfilerAction": "DEVICE_STOPPED NONE RECORD RECORD_AND_SAVE WARMUP",
    "torch.profiler.RecordScope": """
BACKWARD_FUNCTION BUILD_FEATURE CUSTOM_CLASS FUNCTION KERNEL_FUNCTION_DTYPE LITE_INTERPRETER STATIC_RUNTIME_MODEL STATIC_RUNTIME_OP TORCHSCRIPT_FUNCTION
USER_SCOPE name value
""",
    "torch.profiler.profile": """
add_metadata add_metadata_json events export_chrome_trace export_memory_timeline export_stacks get_trace_id key_averages prepare_trace preset_metadata_json
set_custom_trace_id_callback start start_trace step stop stop_trace toggle_collection_dynamic
""",
    "torch.quasirandom.SobolEngine": "MAXBIT MAXDIM draw draw_base2 fast_forward reset",
    "torch.return_types.SequenceKey": "get idx",
    "torch.return_types.aminmax": "count index max min n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.aminmax_out": "count index max min n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.cummax": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.cummax_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.cummin": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.cummin_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.frexp": "count exponent index mantissa n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.frexp_out": "count exponent index mantissa n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.geqrf": "a count index n_fields n_sequence_fields n_unnamed_fields tau",
    "torch.return_types.geqrf_out": "a count index n_fields n_sequence_fields n_unnamed_fields tau",
    "torch.return_types.histogram": "bin_edges count hist index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.histogram_out": "bin_edges count hist index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.histogramdd": "bin_edges count hist index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.kthvalue": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.kthvalue_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.linalg_cholesky_ex": "L count index info n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_cholesky_ex_out": "L count index info n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_eig": "count eigenvalues eigenvectors index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_eig_out": "count eigenvalues eigenvectors index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_eigh": "count eigenvalues eigenvectors index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_eigh_out": "count eigenvalues eigenvectors index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_inv_ex": "count index info inverse n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_inv_ex_out": "count index info inverse n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_ldl_factor": "LD count index n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_ldl_factor_ex": "LD count index info n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_ldl_factor_ex_out": "LD count index info n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_ldl_factor_out": "LD count index n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_lstsq": "count index n_fields n_sequence_fields n_unnamed_fields rank residuals singular_values solution",
    "torch.return_types.linalg_lstsq_out": "count index n_fields n_sequence_fields n_unnamed_fields rank residuals singular_values solution",
    "torch.return_types.linalg_lu": "L P U count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_lu_factor": "LU count index n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_lu_factor_ex": "LU count index info n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_lu_factor_ex_out": "LU count index info n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_lu_factor_out": "LU count index n_fields n_sequence_fields n_unnamed_fields pivots",
    "torch.return_types.linalg_lu_out": "L P U count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_qr": "Q R count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_qr_out": "Q R count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_slogdet": "count index logabsdet n_fields n_sequence_fields n_unnamed_fields sign",
    "torch.return_types.linalg_slogdet_out": "count index logabsdet n_fields n_sequence_fields n_unnamed_fields sign",
    "torch.return_types.linalg_solve_ex": "count index info n_fields n_sequence_fields n_unnamed_fields result",
    "torch.return_types.linalg_solve_ex_out": "count index info n_fields n_sequence_fields n_unnamed_fields result",
    "torch.return_types.linalg_svd": "S U Vh count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.linalg_svd_out": "S U Vh count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.lu_unpack": "L P U count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.lu_unpack_out": "L P U count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.max": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.max_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.median": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.median_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.min": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.min_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.mode": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.mode_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.nanmedian": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.nanmedian_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.qr": "Q R count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.qr_out": "Q R count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.slogdet": "count index logabsdet n_fields n_sequence_fields n_unnamed_fields sign",
    "torch.return_types.slogdet_out": "count index logabsdet n_fields n_sequence_fields n_unnamed_fields sign",
    "torch.return_types.sort": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.sort_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.svd": "S U V count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.svd_out": "S U V count index n_fields n_sequence_fields n_unnamed_fields",
    "torch.return_types.topk": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.topk_out": "count index indices n_fields n_sequence_fields n_unnamed_fields values",
    "torch.return_types.triangular_solve": "cloned_coefficient count index n_fields n_sequence_fields n_unnamed_fields solution",
    "torch.return_types.triangular_solve_out": "cloned_coefficient count index n_fields n_sequence_fields n_unnamed_fields solution",
    "torch.serialization.LoadEndianness": "BIG LITTLE NATIVE",
    "torch.serialization.SourceChangeWarning": "add_note args with_traceback",
    "torch.serialization.StorageType": "dtype",
    "torch.set_grad_enabled": "clone",
    "torch.sparse.SparseSemiStructuredTensor": "compressed_swizzled_bitmask from_dense meta meta_t packed packed_t",
    "torch.sparse.SparseSemiStructuredTensorCUSPARSELT": "BACKEND prune_dense_static_sort",
    "torch.sparse.SparseSemiStructuredTensorCUTLASS": "BACKEND prune_dense_static_sort",
    "torch.sparse.check_sparse_tensor_invariants": "disable enable is_enabled",
    "torch.torch_version.InvalidVersion": "add_note args with_traceback",
    "torch.torch_version.TorchVersion": """
capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower
isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition
rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill
""",
    "torch.torch_version.Version": "base_version dev epoch is_devrelease is_postrelease is_prerelease local major micro minor post pre public release",
    "torch.types.Storage": "cpu data_ptr element_size from_file is_shared nbytes share_memory_",
    "torch.utils.ThroughputBenchmark": "add_input benchmark run_once",
    "torch.utils.benchmark.CallgrindStats": "as_standardized counts delta stats",
    "torch.utils.benchmark.Colorize": "COLUMNWISE NONE ROWWISE",
    "torch.utils.benchmark.Compare": "colorize extend_results highlight_warnings print trim_significant_figures",
    "torch.utils.benchmark.CopyIfCallgrind": "serialization setup unwrap_all value",
    "torch.utils.benchmark.FunctionCount": "count function index",
    "torch.utils.benchmark.FunctionCounts": "denoise filter sum transform truncate_rows",
    "torch.utils.benchmark.FuzzedParameter": "name sample",
    "torch.utils.benchmark.FuzzedSparseTensor": "sparse_tensor_constructor",
    "torch.utils.benchmark.FuzzedTensor": "default_tensor_constructor name satisfies_constraints",
    "torch.utils.benchmark.Fuzzer": "rejection_rate take",
    "torch.utils.benchmark.Language": "CPP PYTHON",
    "torch.utils.benchmark.Measurement": "as_row_name env has_warnings iqr mean median meets_confidence merge metadata significant_figures times title",
    "torch.utils.benchmark.TaskSpec": "description env global_setup label num_threads setup_str sub_label summarize title",
    "torch.utils.benchmark.Timer": "adaptive_autorange autorange blocked_autorange collect_callgrind repeat timeit",
    "torch.utils.checkpoint.CheckpointError": "add_note args with_traceback",
    "torch.utils.checkpoint.CheckpointPolicy": "MUST_CPU_OFFLOAD MUST_RECOMPUTE MUST_SAVE PREFER_CPU_OFFLOAD PREFER_RECOMPUTE PREFER_SAVE",
    "torch.utils.checkpoint.DefaultDeviceType": "get_device_type set_device_type",
    "torch.utils.collect_env.SystemEnv": """
caching_allocator_config clang_version cmake_version conda_packages count cpu_info cuda_compiled_version cuda_module_loading cuda_runtime_version
cudnn_version gcc_version hip_compiled_version hip_runtime_version index is_cuda_available is_debug_build is_xnnpack_available is_xpu_available libc_version
miopen_runtime_version nvidia_driver_version nvidia_gpu_models os pip_packages pip_version python_platform python_version torch_version
""",
    "torch.utils.cpp_extension.BuildExtension": """
announce boolean_options build_extension build_extensions check_extensions_list command_consumes_arguments copy_extensions_to_source copy_file copy_tree
debug_print description dry_run dump_options editable_mode ensure_dirname ensure_filename ensure_finalized ensure_string ensure_string_list execute
finalize_options find_swig get_command_name get_export_symbols get_ext_filename get_ext_fullname get_ext_fullpath get_finalized_command get_libraries
get_output_mapping get_outputs get_source_files get_sub_commands help_options initialize_options inplace links_to_dynamic make_archive make_file mkpath
move_file reinitialize_command run run_command sep_by set_undefined_options setup_shlib_compiler spawn sub_commands swig_sources user_options warn
with_options write_stub
""",
    "torch.utils.cpp_extension.ExtensionVersioner": "bump_version_if_changed get_version",
    "torch.utils.cpp_extension.FileBaton": "release try_acquire wait",
    "torch.utils.data.ConcatDataset": "cummulative_sizes cumsum",
    "torch.utils.data.DataChunk": "append as_str clear copy count extend index insert pop raw_iterator remove reverse sort",
    "torch.utils.data.DataLoader": "check_worker_number_rationality multiprocessing_context",
    "torch.utils.data.DistributedSampler": "set_epoch",
    "torch.utils.data.IterDataPipe": """
functions getstate_hook reduce_ex_hook register_datapipe_as_function register_function repr_hook reset set_getstate_hook set_reduce_ex_hook str_hook
""",
    "torch.utils.data.MapDataPipe": """
functions getstate_hook reduce_ex_hook register_datapipe_as_function register_function repr_hook set_getstate_hook set_reduce_ex_hook str_hook
""",
    "torch.utils.data.RandomSampler": "num_samples",
    "torch.utils.data.dataloader.ExceptionWrapper": "reraise",
    "torch.utils.data.non_deterministic": "cls deterministic_wrapper_fn",
    "torch.utils.dlpack.DLDeviceType": """
as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag kDLCPU kDLCUDA kDLCUDAHost kDLCUDAManaged kDLExtDev kDLHexagon kDLMAIA kDLMetal
kDLOneAPI kDLOpenCL kDLROCM kDLROCMHost kDLVPI kDLVulkan kDLWebGPU numerator real to_bytes
""",
    "torch.utils.flop_counter.FlopCounterMode": "get_flop_counts get_table get_total_flops",
    "torch.utils.flop_counter.ModuleTracker": "is_bw",
    "torch.utils.hooks.BackwardHook": "setup_input_hook setup_output_hook",
    "torch.utils.hooks.RemovableHandle": "next_id remove",
    "torch.utils.weak.WeakIdKeyDictionary": "clear copy get items keyrefs keys pop popitem setdefault update values",
    "torch.xpu.Event": "elapsed_time query record synchronize wait",
    "torch.xpu.MemPool": "allocator id snapshot use_count",
    "torch.xpu.Stream": "query record_event synchronize wait_event wait_stream",
    "torch.xpu.XPUGraph": "capture_begin capture_end debug_dump enable_debug_mode instantiate pool raw_xpu_graph raw_xpu_graph_exec replay reset",
    "torch.xpu.XPUPluggableAllocator": "allocator",
    "torch.xpu.graph": "default_capture_stream",
}
