"""The names of the modules of PyTorch 2.13.0. Made by tools/oracle/freeze_names.py. OTHERS has what stands in those that are not documented."""

OTHERS = {
    "torch.accelerator.graphs": "Graph torch",
    "torch.accelerator.memory": """
empty_cache empty_host_cache get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats
reset_accumulated_memory_stats reset_peak_memory_stats torch
""",
    "torch.ao.ns": "fx",
    "torch.ao.pruning": """
BaseScheduler BaseSparsifier CubicSL FakeSparsity LambdaSL NearlyDiagonalSparsifier WeightNormSparsifier fqn_to_module get_arg_info_from_tensor_fqn
get_dynamic_sparse_quantized_mapping get_static_sparse_quantized_mapping module_to_fqn scheduler sparsifier
""",
    "torch.autograd.profiler_legacy": "DeviceType EventList FunctionEvent MEMORY_EVENT_NAME ProfilerConfig ProfilerState profile torch",
    "torch.contrib": "",
    "torch.cuda.comm": "broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter",
    "torch.cuda.gds": "GdsFile Storage gds_deregister_buffer gds_register_buffer torch",
    "torch.cuda.graphs": "CUDAGraph TYPE_CHECKING Tensor graph graph_pool_handle is_current_stream_capturing make_graphed_callables torch",
    "torch.cuda.green_contexts": "GreenContext SUPPORTED torch",
    "torch.cuda.jiterator": "Tensor torch",
    "torch.cuda.memory": """
CUDAPluggableAllocator MemPool TYPE_CHECKING caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable
change_current_allocator empty_cache get_allocator_backend get_per_process_memory_fraction host_memory_stats host_memory_stats_as_nested_dict is_initialized
list_gpu_processes max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated memory_cached memory_reserved memory_snapshot
memory_stats memory_stats_as_nested_dict memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated
reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_per_process_memory_fraction torch use_mem_pool
""",
    "torch.cuda.nccl": "SUM all_gather all_reduce broadcast init_rank is_available reduce reduce_scatter torch unique_id version",
    "torch.cuda.nvtx": "mark range range_end range_pop range_push range_start",
    "torch.cuda.profiler": "DEFAULT_FLAGS check_error cudart profile start stop",
    "torch.cuda.random": """
Tensor current_device device_count get_rng_state get_rng_state_all initial_seed is_initialized manual_seed manual_seed_all seed seed_all set_rng_state
set_rng_state_all torch
""",
    "torch.cuda.sparse": "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor",
    "torch.cuda.streams": "Event ExternalStream Stream torch",
    "torch.cuda.tunable": """
enable get_filename get_max_tuning_duration get_max_tuning_iterations get_results get_rotating_buffer_size get_validators is_enabled mgpu_tune_gemm_in_file
read_file record_untuned_enable record_untuned_is_enabled set_filename set_max_tuning_duration set_max_tuning_iterations set_numerical_check_tolerances
set_rotating_buffer_size torch tune_gemm_in_file tuning_enable tuning_is_enabled
""",
    "torch.distributed.algorithms": "Join JoinHook Joinable ddp_comm_hooks join model_averaging",
    "torch.distributed.argparse_util": "check_env env",
    "torch.distributed.autograd": "DistAutogradContext TYPE_CHECKING backward context get_gradients is_available torch",
    "torch.distributed.c10d_logger": "dist torch",
    "torch.distributed.checkpoint": """
BytesStorageMetadata CheckpointException ChunkStorageMetadata DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter
HuggingFaceStorageReader HuggingFaceStorageWriter LoadPlan LoadPlanner Metadata QuantizedHuggingFaceStorageReader ReadItem SavePlan SavePlanner
StorageReader StorageWriter TensorStorageMetadata WriteItem api async_save default_planner filesystem format_utils hf_storage load
load_sharded_optimizer_state_dict load_state_dict logger logging_handlers metadata optimizer planner planner_helpers quantized_hf_storage resharding save
save_state_dict staging state_dict state_dict_loader state_dict_saver stateful storage utils
""",
    "torch.distributed.collective_utils": "SyncPayload T TYPE_CHECKING all_gather all_gather_object_enforce_type broadcast dist torch",
    "torch.distributed.config": "Config compile_on_one_rank install_config_module use_torchcomms",
    "torch.distributed.constants": "default_pg_nccl_timeout default_pg_timeout",
    "torch.distributed.debug": "TYPE_CHECKING get_rank start_debug_server stop_debug_server tcpstore_client torch",
    "torch.distributed.device_mesh": """
C10dBackend DeviceMesh GroupName OpaqueBase ProcessGroup TYPE_CHECKING dist_config get_backend get_process_group_ranks get_rank get_world_size
init_device_mesh init_process_group is_available is_initialized new_group not_none split_group torch
""",
    "torch.distributed.distributed_c10d": """
AllToAllOptions AllgatherOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions DebugLevel DistStoreError
GatherOptions GroupMember GroupName P2POp PG_WRAPPER_STORE_PREFIX PrefixStore ProcessGroup ProcessGroupGloo ReduceOp ReduceOptions ReduceScatterOptions
SHRINK_ABORT SHRINK_DEFAULT STORE_BASED_BARRIER_PREFIX ScatterOptions Store TYPE_CHECKING Work all_gather all_gather_coalesced all_gather_into_tensor
all_gather_object all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list
default_pg_nccl_timeout default_pg_timeout destroy_process_group dist_config gather gather_object get_backend get_backend_config get_debug_level
get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_pg_count get_process_group_ranks get_rank get_world_size group
handle_torch_function has_torch_function init_process_group irecv is_backend_available is_gloo_available is_initialized is_mpi_available is_nccl_available
is_torchelastic_launched is_ucc_available is_xccl_available isend monitored_barrier new_group new_subgroups new_subgroups_by_enumeration not_none
record_comm recv recv_object_list reduce reduce_op reduce_scatter reduce_scatter_single reduce_scatter_tensor register_rendezvous_handler rendezvous scatter
scatter_object_list send send_object_list set_pytorch_distributed_envs_from_justknobs shrink_group split_group supports_complex torch
""",
    "torch.distributed.elastic": "agent control_plane events metrics multiprocessing rendezvous timer utils",
    "torch.distributed.flight_recorder": "components fr_trace",
    "torch.distributed.fsdp": """
BackwardPrefetch CPUOffload CPUOffloadPolicy DataParallelMeshDims FSDPModule FlatParameter FullOptimStateDictConfig FullStateDictConfig
FullyShardedDataParallel LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision MixedPrecisionPolicy OffloadPolicy OptimStateDictConfig
OptimStateKeyType ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictSettings StateDictType UnshardHandle api
fully_shard fully_sharded_data_parallel register_fsdp_forward_method sharded_grad_scaler share_comm_ctx wrap
""",
    "torch.distributed.launch": "get_args_parser launch main parse_args run",
    "torch.distributed.launcher": "LaunchConfig api elastic_launch launch_agent",
    "torch.distributed.logging_handlers": "",
    "torch.distributed.nn": """
Function ReduceOp RemoteModule all_gather all_reduce all_to_all all_to_all_single api broadcast dist functional gather group jit reduce reduce_scatter
scatter torch
""",
    "torch.distributed.optim": """
DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer apply_optimizer_in_backward as_functional_optim functional_adadelta functional_adagrad
functional_adam functional_adamax functional_adamw functional_rmsprop functional_rprop functional_sgd named_optimizer optim optimizer
post_localSGD_optimizer torch utils zero_redundancy_optimizer
""",
    "torch.distributed.pipelining": """
Pipe PipelineStage Schedule1F1B ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS
ScheduleZBVZeroBubble SplitPoint build_stage microbatch pipe_split pipeline schedules stage
""",
    "torch.distributed.remote_device": "torch",
    "torch.distributed.rendezvous": "FileStore Store TCPStore default_pg_timeout register_rendezvous_handler rendezvous",
    "torch.distributed.rpc": """
AllGatherStates BackendType PyRRef RRef RemoteProfilerManager RpcAgent RpcBackendOptions Store TensorPipeAgent TensorPipeRpcBackendOptions WorkerInfo api
backend_registry constants dist dist_autograd enable_gil_profiling functions get_rpc_timeout get_worker_info init_rpc internal is_available method_factory
new_method options remote rpc_async rpc_sync rref_proxy server_process_global_profiler shutdown torch
""",
    "torch.distributed.run": """
DefaultLogsSpecs LaunchConfig LogsSpecs REMAINDER Std check_env config_from_args determine_local_world_size elastic_launch env get_args_parser get_logger
get_rdzv_endpoint get_use_env macros main parse_args parse_min_max_nnodes record run run_script_path torch
""",
    "torch.distributed.tensor": """
DTensor DeviceMesh Partial Placement Replicate Shard debug device_mesh distribute_module distribute_tensor empty experimental full init_device_mesh ones
parallel placement_types rand randn torch zeros
""",
    "torch.distributed.utils": "PackedSequence Q R S T dist nn torch",
    "torch.export": """
AdditionalInputs CustomDecompTable DEFAULT_PICKLE_PROTOCOL Dim ExportBackwardSignature ExportGraphSignature ExportedProgram FlatArgsAdapter ModuleCallEntry
ModuleCallSignature PassResult ShapesCollection UnflattenedModule custom_obj custom_ops decomp_utils default_decompositions dims draft_export dynamic_shapes
experimental export exported_program graph_signature load passes pt2_archive pytree register_dataclass save torch unflatten
""",
    "torch.export.custom_obj": "ScriptObjectMeta",
    "torch.export.custom_ops": "lib torch",
    "torch.export.decomp_utils": "CustomDecompTable PRESERVED_ATEN_CIA_OPS torch",
    "torch.export.dynamic_shapes": """
AdditionalInputs BUILTIN_TYPES Dim ExportedProgram MappingKey SUPPORTED_NODES SequenceKey ShapesCollection TYPE_CHECKING TreeSpec dims keystr
refine_dynamic_shapes_from_suggested_fixes torch tree_iter tree_map tree_map_with_path tree_structure
""",
    "torch.export.experimental": "OrderedSet torch",
    "torch.export.exported_program": """
ConstantArgument CustomDecompTable CustomObjArgument ExportGraphSignature ExportedProgram FakeScriptObject FakeTensorMode InputKind InputSpec
ModuleCallEntry ModuleCallSignature OutputKind OutputSpec PassManager PassResult SymBoolArgument SymFloatArgument SymIntArgument TYPE_CHECKING
TensorArgument TokenArgument TracingContext Verifier autograd_not_implemented compatibility default_decompositions detect_fake_mode
first_call_function_nn_module_stack immutable_dict immutable_list insert_deferred_runtime_asserts is_equivalent placeholder_naming_pass pytree
register_op_impl reorder_kwargs torch tracing unset_fake_temporarily
""",
    "torch.export.graph_signature": """
ConstantArgument CustomObjArgument ExportBackwardSignature ExportGraphSignature FakeScriptObject InputKind InputSpec OutputKind OutputSpec SymBoolArgument
SymFloatArgument SymIntArgument TYPE_CHECKING TensorArgument TokenArgument get_opaque_type_name is_fake is_opaque_type
""",
    "torch.export.passes": "ExportedProgram move_to_device_pass pytree torch",
    "torch.export.pt2_archive": "PT2ArchiveReader PT2ArchiveWriter constants is_pt2_package",
    "torch.export.unflatten": """
ConstantArgument ExportGraphSignature ExportedProgram FakeScriptObject FlatArgsAdapter GetAttrKey InputKind InterpreterModule InterpreterModuleDispatcher
ModuleCallSignature RUN_WITH_INTERPRETER SequenceKey SymBoolArgument SymFloatArgument SymIntArgument TensorArgument UnflattenedModule fx_pytree
is_fx_symbolic_tracing is_opaque_value pytree reorder_kwargs torch unflatten
""",
    "torch.fx.config": "disable_progress do_not_emit_stack_traces verbose_progress",
    "torch.jit.frontend": """
Apply Assert Assign Attribute AugAssign BinOp Break Builder ClassDef Const Continue DATACLASS_MAGIC_METHODS Decl Def Delete DictComp DictLiteral Dots
EmptyTypeAnnotation ExprBuilder ExprStmt FalseLiteral For FrontendError FrontendTypeError FunctionModifiers Ident If ListComp ListLiteral NoneLiteral
NotSupportedError Param Pass Property Raise Return Select SliceExpr Starred Stmt StmtBuilder StringLiteral Subscript TernaryIf TrueLiteral TupleLiteral
UnaryOp UnsupportedNodeError Var While With WithItem WithItemBuilder build_class_def build_def build_expr build_ignore_context_manager build_param
build_param_list build_stmt build_stmts build_withitem build_withitems find_before get_class_assigns get_class_properties get_default_args
get_default_args_for_class get_jit_class_def get_jit_def get_qualified_name get_source_lines_and_file is_reserved_name is_static_fn
is_torch_jit_ignore_context_manager make_source_context monkeytype_trace node_start_tokens parse_def pretty_node_names should_drop torch
""",
    "torch.jit.generate_bytecode": "format_bytecode generate_upgraders_bytecode",
    "torch.jit.mobile": "LiteScriptModule torch validate_map_location",
    "torch.jit.quantized": """
QuantizedGRU QuantizedGRUCell QuantizedLSTM QuantizedLSTMCell QuantizedLinear QuantizedLinearFP16 QuantizedRNNBase QuantizedRNNCell QuantizedRNNCellBase
quantize_linear_modules quantize_rnn_cell_modules quantize_rnn_modules torch
""",
    "torch.jit.supported_ops": "torch",
    "torch.jit.unsupported_tensor_ops": "execWrapper torch",
    "torch.masked": """
MaskedTensor amax amin argmax argmin as_masked_tensor cumprod cumsum is_masked_tensor log_softmax logaddexp logsumexp masked_tensor maskedtensor mean median
norm normalize prod softmax softmin std sum var
""",
    "torch.masked.maskedtensor": "MaskedTensor binary core creation is_masked_tensor passthrough reductions unary",
    "torch.monitor": """
Aggregation COUNT Event EventHandlerHandle MAX MEAN MIN STAT_EVENT SUM Stat TYPE_CHECKING TensorboardEventHandler VALUE data_value_t log_event
register_event_handler unregister_event_handler
""",
    "torch.mps.event": "Event torch",
    "torch.mps.profiler": "is_capturing_metal is_metal_capture_enabled metal_capture profile start stop torch",
    "torch.mtia.memory": "is_initialized max_memory_allocated memory_allocated memory_stats reset_peak_memory_stats torch",
    "torch.mtia.mtia_graph": "MTIAGraph graph graph_pool_handle torch",
    "torch.multiprocessing.pool": "Pool SimpleQueue clean_worker",
    "torch.multiprocessing.queue": "ConnectionWrapper Queue SimpleQueue",
    "torch.multiprocessing.reductions": """
SharedCache StorageWeakRef fd_id init_reductions rebuild_cuda_tensor rebuild_event rebuild_meta_tensor rebuild_nested_tensor
rebuild_sparse_compressed_tensor rebuild_sparse_coo_tensor rebuild_storage_empty rebuild_storage_fd rebuild_storage_filename rebuild_tensor
rebuild_typed_storage rebuild_typed_storage_child reduce_event reduce_nested_tensor reduce_sparse_tensor reduce_storage reduce_tensor reduce_typed_storage
reduce_typed_storage_child shared_cache storage_from_cache torch
""",
    "torch.multiprocessing.spawn": """
ENV_VAR_PARALLEL_START ProcessContext ProcessException ProcessExitedException ProcessRaisedException SpawnContext spawn start_processes
""",
    "torch.nativert": "backends",
    "torch.nativert.backends": "",
    "torch.nested": "DType Device F SymInt Tensor as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor torch",
    "torch.nn.backends": "thnn",
    "torch.nn.common_types": "T Tensor",
    "torch.nn.cpp": "ModuleWrapper OrderedDictWrapper nn",
    "torch.nn.grad": "conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight torch",
    "torch.nn.intrinsic": """
BNReLU2d BNReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d LinearReLU modules qat
quantized
""",
    "torch.nn.qat": "Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear dynamic modules",
    "torch.nn.quantizable": "LSTM LSTMCell MultiheadAttention modules",
    "torch.numa": "binding",
    "torch.numa.binding": "AffinityMode K NumaOptions V signpost_event torch",
    "torch.onnx.errors": "OnnxExporterError OnnxExporterWarning SymbolicValueError TYPE_CHECKING UnsupportedOperatorError",
    "torch.onnx.operators": "reshape_from_tensor_shape shape_as_tensor torch",
    "torch.onnx.ops": "TYPE_CHECKING aten_decompositions attention rotary_embedding symbolic symbolic_multi_out torch",
    "torch.onnx.symbolic_opset10": """
dequantize div embedding_bag fake_quantize_per_tensor_affine flip fmod isfinite isinf nan_to_num quantize_per_tensor quantized_add quantized_add_relu
quantized_cat quantized_conv1d quantized_conv1d_relu quantized_conv2d quantized_conv2d_relu quantized_conv3d quantized_conv3d_relu
quantized_conv_transpose1d quantized_conv_transpose2d quantized_conv_transpose3d quantized_group_norm quantized_hardswish quantized_instance_norm
quantized_layer_norm quantized_leaky_relu quantized_linear quantized_linear_relu quantized_mul quantized_sigmoid slice sort topk
""",
    "torch.onnx.symbolic_opset11": """
Delete add append arange argsort atleast_1d atleast_2d atleast_3d cat chunk clamp clamp_max clamp_min constant_pad_nd cumsum embedding_bag embedding_renorm
flatten gather hardtanh hstack im2col index index_copy index_fill index_put insert linalg_det linalg_vector_norm logdet masked_scatter masked_select mm
narrow normal pad pixel_shuffle pop prim_constant_chunk reflection_pad relu6 remainder replication_pad round scatter select size sort split split_with_sizes
squeeze stack topk unbind unique_dim unsqueeze vstack
""",
    "torch.onnx.symbolic_opset12": """
argmax argmin binary_cross_entropy_with_logits celu cross_entropy_loss dropout einsum ge le native_dropout nll_loss nll_loss2d nll_loss_nd outer pow
tensordot unfold
""",
    "torch.onnx.symbolic_opset13": """
diagonal errors fake_quantize_per_channel_affine fake_quantize_per_tensor_affine frobenius_norm jit_utils log_softmax nonzero_numpy opset11 opset9
quantized_conv1d quantized_conv1d_relu quantized_conv2d quantized_conv2d_relu quantized_conv3d quantized_conv3d_relu quantized_conv_transpose1d
quantized_conv_transpose2d quantized_conv_transpose3d quantized_linear quantized_linear_relu registration repeat_interleave softmax split split_with_sizes
symbolic_helper tensor_split tile torch unbind unflatten unsafe_chunk unsafe_split unsafe_split_with_sizes utils where
""",
    "torch.onnx.symbolic_opset14": "batch_norm hardswish quantized_hardswish reshape scaled_dot_product_attention tril triu",
    "torch.onnx.symbolic_opset15": "aten__is_ aten__isnot_ bernoulli jit_utils opset9 prim_unchecked_cast registration symbolic_helper torch",
    "torch.onnx.symbolic_opset16": """
GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES errors grid_sampler jit_utils registration scatter_add scatter_reduce symbolic_helper torch utils
""",
    "torch.onnx.symbolic_opset17": "layer_norm quantized_layer_norm stft",
    "torch.onnx.symbolic_opset18": "col2im",
    "torch.onnx.symbolic_opset19": "",
    "torch.onnx.symbolic_opset20": "gelu",
    "torch.onnx.symbolic_opset7": "block_listed_op block_listed_operators jit_utils max min opset9 registration symbolic_helper",
    "torch.onnx.symbolic_opset8": """
addmm block_listed_op block_listed_operators bmm empty empty_like errors flatten full full_like gt jit_utils lt matmul mm ones ones_like opset9 prelu
registration repeat symbolic_helper torch zeros zeros_like
""",
    "torch.onnx.symbolic_opset9": """
abs acos adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d add addcmul addmm alias
amax amin aminmax arange argmax argmin as_strided as_tensor asin atan atan2 avg_pool1d avg_pool2d avg_pool3d baddbmm batch_norm bernoulli bitwise_not
bitwise_or bmm broadcast_tensors broadcast_to bucketize cat cdist ceil clamp clamp_max clamp_min clone constant_pad_nd contiguous conv1d conv2d conv3d
conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convert_element_type convolution cos cosine_similarity cross cumsum detach dim div dot dropout
elu embedding embedding_bag empty empty_like eq erf exp expand expand_as eye fill flatten floor floor_divide floordiv frobenius_norm full full_like gather
ge gelu get_pool_ceil_padding glu group_norm gru gt hann_window hardshrink hardsigmoid hardswish hardtanh index index_add index_copy index_fill index_put
index_select instance_norm is_floating_point is_pinned isnan item kl_div layer_norm le leaky_relu lerp lift linalg_cross linalg_matrix_norm linalg_norm
linalg_vector_norm linear linspace log log10 log1p log2 log_sigmoid log_softmax logical_and logical_not logical_or logical_xor logit logsumexp lstm
lstm_cell lt masked_fill masked_fill_ matmul max max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices
maximum meshgrid min minimum mish mm movedim mse_loss mul multinomial mv narrow native_layer_norm ne neg new_empty new_full new_ones new_zeros nonzero
nonzero_numpy noop_complex_operators norm numel numpy_T one_hot ones ones_like onnx_placeholder pad pairwise_distance permute pixel_shuffle pixel_unshuffle
pow prelu prim_constant prim_constant_chunk prim_constant_split prim_data prim_device prim_dtype prim_if prim_layout prim_list_construct prim_list_unpack
prim_loop prim_max prim_min prim_shape prim_tolist prim_tuple_construct prim_type prim_unchecked_cast prim_uninitialized rand rand_like randint randint_like
randn randn_like reciprocal reflection_pad relu relu6 remainder repeat repeat_interleave replication_pad reshape reshape_as rnn_relu rnn_tanh roll rrelu
rsqrt rsub scalar_tensor scatter scatter_add select selu sigmoid sign silu sin size slice softmax softplus softshrink sort split split_with_sizes sqrt
square squeeze stack std std_mean sub t take tan tanh tanhshrink tensor threshold to topk transpose true_divide type_as unbind unfold unsafe_chunk
unsafe_split unsafe_split_with_sizes unsqueeze unsupported_complex_operators unused upsample_bilinear2d upsample_linear1d upsample_nearest1d
upsample_nearest2d upsample_nearest3d upsample_trilinear3d var var_mean view view_as where wrap_logical_op_with_cast_to wrap_logical_op_with_negation zero
zeros zeros_like
""",
    "torch.onnx.testing": "assert_onnx_program",
    "torch.onnx.utils": """
disable_apex_o2_state_dict_hook export exporter_context model_signature register_custom_op_symbolic select_model_mode_for_export setup_onnx_logging
unconvertible_ops unpack_quantized_tensor unregister_custom_op_symbolic warn_on_static_input_change
""",
    "torch.onnx.verification": "VerificationInfo verify_onnx_program",
    "torch.package": """
Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError OrderedImporter PackageExporter PackageImporter PackagingError analyze
file_structure_representation find_file_dependencies glob_group importer is_from_package package_exporter package_importer sys_importer
""",
    "torch.package.analyze": "find_first_use_of_broken_modules is_from_package trace_dependencies",
    "torch.package.file_structure_representation": "Directory GlobGroup",
    "torch.package.find_file_dependencies": "find_files_source_depends_on",
    "torch.package.glob_group": "GlobGroup",
    "torch.package.importer": "Importer ObjMismatchError ObjNotFoundError OrderedImporter demangle get_mangle_prefix is_mangled sys_importer",
    "torch.package.package_exporter": """
DiGraph EmptyMatchError GlobGroup Importer OrderedImporter PackageExporter PackagingError PackagingErrorReason RemovableHandle Storage create_pickler
demangle find_files_source_depends_on is_mangled is_stdlib_module location_tag normalize_storage_type sys_importer torch
""",
    "torch.package.package_importer": """
Directory DirectoryReader EXTERN_IMPORT_COMPAT_NAME_MAPPING IMPLICIT_IMPORT_ALLOWLIST Importer PackageImporter PackageMangler PackageUnpickler TYPE_CHECKING
demangle torch
""",
    "torch.profiler.itt": "is_available mark range range_pop range_push",
    "torch.profiler.profiler": """
ExecutionTraceObserver MemoryProfile MemoryProfileTimeline PROFILER_STEP_NAME ProfilerAction ProfilerActivity TYPE_CHECKING is_fbcode kineto_available prof
profile profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 schedule supported_activities tensorboard_trace_handler torch warn
""",
    "torch.profiler.python_tracer": "torch",
    "torch.quantization": """
DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_QAT_MODULE_MAPPINGS
DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_QUANT_MODULE_MAPPINGS DeQuantStub FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize
FusedMovingAvgObsFakeQuantize HistogramObserver MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase
PerChannelMinMaxObserver PlaceholderObserver QConfig QConfigAny QConfigDynamic QuantStub QuantType QuantWrapper RecordingObserver add_quant_dequant convert
convert_dynamic_jit convert_jit default_activation_only_qconfig default_debug_observer default_debug_qconfig default_dynamic_qconfig
default_dynamic_quant_observer default_eval_fn default_fake_quant default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_neg1to1_fake_quant
default_float_qparams_observer default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant default_histogram_fake_quant
default_histogram_observer default_observer default_per_channel_qconfig default_per_channel_weight_fake_quant default_per_channel_weight_observer
default_placeholder_observer default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_weight_fake_quant default_weight_observer
default_weight_only_qconfig disable_fake_quant disable_observer enable_fake_quant enable_observer fake_quantize float16_dynamic_qconfig
float16_static_qconfig float_qparams_weight_only_qconfig fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_linear_bn fuse_modules fuser_method_mappings
fx get_default_compare_output_module_list get_default_dynamic_quant_module_mappings get_default_float_to_quantized_operator_mappings
get_default_qat_module_mappings get_default_qat_qconfig get_default_qconfig get_default_qconfig_propagation_list get_default_static_quant_module_mappings
get_dynamic_quant_module_class get_fuser_method get_observer_state_dict get_quantized_operator get_static_quant_module_class load_observer_state_dict
no_observer_set observer per_channel_dynamic_qconfig prepare prepare_dynamic_jit prepare_jit prepare_qat propagate_qconfig_ qconfig qconfig_equals
quant_type quantization_mappings quantize quantize_dynamic quantize_dynamic_jit quantize_fx quantize_jit quantize_qat script_qconfig script_qconfig_dict
stubs swap_module utils
""",
    "torch.quantization.fake_quantize": """
FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize default_fake_quant default_fixed_qparams_range_0to1_fake_quant
default_fixed_qparams_range_neg1to1_fake_quant default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant
default_histogram_fake_quant default_per_channel_weight_fake_quant default_weight_fake_quant disable_fake_quant disable_observer enable_fake_quant
enable_observer
""",
    "torch.quantization.fuse_modules": "fuse_conv_bn fuse_conv_bn_relu fuse_known_modules fuse_modules get_fuser_method",
    "torch.quantization.fuser_method_mappings": "fuse_conv_bn fuse_conv_bn_relu fuse_linear_bn get_fuser_method",
    "torch.quantization.fx": "convert fuse fusion_patterns graph_module match_utils pattern_utils prepare quantization_patterns quantization_types utils",
    "torch.quantization.observer": """
HistogramObserver MinMaxObserver MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase PerChannelMinMaxObserver
PlaceholderObserver RecordingObserver default_debug_observer default_dynamic_quant_observer default_float_qparams_observer default_histogram_observer
default_observer default_per_channel_weight_observer default_placeholder_observer default_weight_observer get_observer_state_dict load_observer_state_dict
""",
    "torch.quantization.qconfig": """
QConfig QConfigAny QConfigDynamic default_activation_only_qconfig default_debug_qconfig default_dynamic_qconfig default_per_channel_qconfig
default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_weight_only_qconfig float16_dynamic_qconfig float16_static_qconfig
float_qparams_weight_only_qconfig get_default_qat_qconfig get_default_qconfig per_channel_dynamic_qconfig qconfig_equals
""",
    "torch.quantization.quant_type": "QuantType",
    "torch.quantization.quantization_mappings": """
DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_QAT_MODULE_MAPPINGS
DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_QUANT_MODULE_MAPPINGS get_default_compare_output_module_list
get_default_dynamic_quant_module_mappings get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings
get_default_qconfig_propagation_list get_default_static_quant_module_mappings get_dynamic_quant_module_class get_quantized_operator
get_static_quant_module_class no_observer_set
""",
    "torch.quantization.quantize": "add_quant_dequant convert prepare prepare_qat propagate_qconfig_ quantize quantize_dynamic quantize_qat swap_module",
    "torch.quantization.quantize_fx": "ObservedGraphModule QuantizationTracer Scope ScopeContextManager convert_fx fuse_fx prepare_fx prepare_qat_fx",
    "torch.quantization.quantize_jit": """
convert_dynamic_jit convert_jit fuse_conv_bn_jit prepare_dynamic_jit prepare_jit quantize_dynamic_jit quantize_jit script_qconfig script_qconfig_dict
""",
    "torch.quantization.stubs": "DeQuantStub QuantStub QuantWrapper",
    "torch.quantization.utils": """
activation_dtype activation_is_int8_quantized activation_is_statically_quantized calculate_qmin_qmax check_min_max_valid get_combined_dict
get_qconfig_dtypes get_qparam_dict get_quant_type get_swapped_custom_module_class getattr_from_fqn is_per_channel is_per_tensor weight_dtype
weight_is_quantized weight_is_statically_quantized
""",
    "torch.sparse.semi_structured": """
SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS fallback_dispatcher semi_sparse_addmm semi_sparse_clone
semi_sparse_detach semi_sparse_indices semi_sparse_linear semi_sparse_mm semi_sparse_scaled_mm semi_sparse_t semi_sparse_to semi_sparse_to_copy
semi_sparse_values semi_sparse_view sparse_semi_structured_from_dense_cutlass sparse_semi_structured_to_dense_cutlass to_sparse_semi_structured torch
""",
    "torch.utils.backcompat": "Warning broadcast_warning keepdim_warning",
    "torch.utils.backend_registration": """
generate_methods_for_privateuse1_backend handle_torch_function has_torch_function_unary rename_privateuse1_backend torch
""",
    "torch.utils.bundled_inputs": """
InflatableArg ListType MAX_RAW_TENSOR_SIZE T TupleType augment_many_model_functions_with_bundled_inputs augment_model_with_bundled_inputs bundle_inputs
bundle_large_tensor bundle_randn torch wrap_cpp_module
""",
    "torch.utils.cpp_backtrace": "get_cpp_backtrace",
    "torch.utils.debug_log": "debug_grad_log leaf_function torch",
    "torch.utils.deterministic": "torch",
    "torch.utils.file_baton": "FileBaton",
    "torch.utils.hipify": "constants cuda_to_hip_mappings hipify_python version",
    "torch.utils.jit": "log_extract",
    "torch.utils.mkldnn": "MkldnnBatchNorm MkldnnConv1d MkldnnConv2d MkldnnConv3d MkldnnLinear MkldnnPrelu to_mkldnn torch",
    "torch.utils.mobile_optimizer": "LintCode MobileOptimizerType generate_mobile_module_lints optimize_for_mobile torch",
    "torch.utils.model_dump": """
DEFAULT_EXTRA_FILE_SIZE_LIMIT burn_in_info get_info_and_burn_skeleton get_inline_skeleton get_model_info get_storage_info hierarchical_pickle main torch
""",
    "torch.utils.serialization": "config",
    "torch.utils.show_pickle": "DumpUnpickler FakeClass FakeObject main",
    "torch.utils.throughput_benchmark": "ExecutionStats ThroughputBenchmark format_time torch",
    "torch.utils.viz": "",
    "torch.xpu.graphs": "TYPE_CHECKING Tensor XPUGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables torch",
    "torch.xpu.memory": """
MemPool XPUPluggableAllocator change_current_allocator empty_cache get_per_process_memory_fraction is_initialized max_memory_allocated max_memory_reserved
mem_get_info memory_allocated memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict reset_accumulated_memory_stats
reset_peak_memory_stats set_per_process_memory_fraction torch use_mem_pool
""",
    "torch.xpu.random": """
Tensor current_device device_count get_rng_state get_rng_state_all initial_seed is_initialized manual_seed manual_seed_all seed seed_all set_rng_state
set_rng_state_all torch
""",
    "torch.xpu.streams": "Event Stream torch",
}
MODULES = """
torch torch.accelerator torch.accelerator.graphs torch.accelerator.memory torch.amp torch.amp.autocast_mode torch.amp.grad_scaler torch.ao torch.ao.nn
torch.ao.nn.intrinsic torch.ao.nn.intrinsic.modules torch.ao.nn.intrinsic.modules.fused torch.ao.nn.intrinsic.qat torch.ao.nn.intrinsic.qat.modules
torch.ao.nn.intrinsic.qat.modules.conv_fused torch.ao.nn.intrinsic.qat.modules.linear_fused torch.ao.nn.intrinsic.qat.modules.linear_relu
torch.ao.nn.intrinsic.quantized torch.ao.nn.intrinsic.quantized.dynamic torch.ao.nn.intrinsic.quantized.dynamic.modules
torch.ao.nn.intrinsic.quantized.dynamic.modules.linear_relu torch.ao.nn.intrinsic.quantized.modules torch.ao.nn.intrinsic.quantized.modules.bn_relu
torch.ao.nn.intrinsic.quantized.modules.conv_add torch.ao.nn.intrinsic.quantized.modules.conv_relu torch.ao.nn.intrinsic.quantized.modules.linear_relu
torch.ao.nn.qat torch.ao.nn.qat.dynamic torch.ao.nn.qat.dynamic.modules torch.ao.nn.qat.dynamic.modules.linear torch.ao.nn.qat.modules
torch.ao.nn.qat.modules.conv torch.ao.nn.qat.modules.embedding_ops torch.ao.nn.qat.modules.linear torch.ao.nn.quantizable torch.ao.nn.quantizable.modules
torch.ao.nn.quantizable.modules.activation torch.ao.nn.quantizable.modules.rnn torch.ao.nn.quantized torch.ao.nn.quantized.dynamic
torch.ao.nn.quantized.dynamic.modules torch.ao.nn.quantized.dynamic.modules.conv torch.ao.nn.quantized.dynamic.modules.linear
torch.ao.nn.quantized.dynamic.modules.rnn torch.ao.nn.quantized.functional torch.ao.nn.quantized.modules torch.ao.nn.quantized.modules.activation
torch.ao.nn.quantized.modules.batchnorm torch.ao.nn.quantized.modules.conv torch.ao.nn.quantized.modules.dropout torch.ao.nn.quantized.modules.embedding_ops
torch.ao.nn.quantized.modules.functional_modules torch.ao.nn.quantized.modules.linear torch.ao.nn.quantized.modules.normalization
torch.ao.nn.quantized.modules.rnn torch.ao.nn.quantized.modules.utils torch.ao.nn.quantized.reference torch.ao.nn.quantized.reference.modules
torch.ao.nn.quantized.reference.modules.conv torch.ao.nn.quantized.reference.modules.linear torch.ao.nn.quantized.reference.modules.rnn
torch.ao.nn.quantized.reference.modules.sparse torch.ao.nn.quantized.reference.modules.utils torch.ao.nn.sparse torch.ao.nn.sparse.quantized
torch.ao.nn.sparse.quantized.dynamic torch.ao.nn.sparse.quantized.dynamic.linear torch.ao.nn.sparse.quantized.linear torch.ao.nn.sparse.quantized.utils
torch.ao.ns torch.ao.ns.fx torch.ao.ns.fx.graph_matcher torch.ao.ns.fx.graph_passes torch.ao.ns.fx.mappings torch.ao.ns.fx.n_shadows_utils
torch.ao.ns.fx.ns_types torch.ao.ns.fx.pattern_utils torch.ao.ns.fx.qconfig_multi_mapping torch.ao.ns.fx.utils torch.ao.ns.fx.weight_utils torch.ao.pruning
torch.ao.pruning.scheduler torch.ao.pruning.scheduler.base_scheduler torch.ao.pruning.scheduler.cubic_scheduler torch.ao.pruning.scheduler.lambda_scheduler
torch.ao.pruning.sparsifier torch.ao.pruning.sparsifier.base_sparsifier torch.ao.pruning.sparsifier.nearly_diagonal_sparsifier
torch.ao.pruning.sparsifier.utils torch.ao.pruning.sparsifier.weight_norm_sparsifier torch.ao.quantization torch.ao.quantization.backend_config
torch.ao.quantization.backend_config.backend_config torch.ao.quantization.backend_config.executorch torch.ao.quantization.backend_config.fbgemm
torch.ao.quantization.backend_config.native torch.ao.quantization.backend_config.onednn torch.ao.quantization.backend_config.qnnpack
torch.ao.quantization.backend_config.tensorrt torch.ao.quantization.backend_config.utils torch.ao.quantization.backend_config.x86
torch.ao.quantization.fake_quantize torch.ao.quantization.fuse_modules torch.ao.quantization.fuser_method_mappings torch.ao.quantization.fx
torch.ao.quantization.fx.convert torch.ao.quantization.fx.custom_config torch.ao.quantization.fx.fuse torch.ao.quantization.fx.fuse_handler
torch.ao.quantization.fx.graph_module torch.ao.quantization.fx.lower_to_fbgemm torch.ao.quantization.fx.lower_to_qnnpack torch.ao.quantization.fx.lstm_utils
torch.ao.quantization.fx.match_utils torch.ao.quantization.fx.pattern_utils torch.ao.quantization.fx.prepare torch.ao.quantization.fx.qconfig_mapping_utils
torch.ao.quantization.fx.quantize_handler torch.ao.quantization.fx.tracer torch.ao.quantization.fx.utils torch.ao.quantization.observer
torch.ao.quantization.qconfig torch.ao.quantization.qconfig_mapping torch.ao.quantization.quant_type torch.ao.quantization.quantization_mappings
torch.ao.quantization.quantize torch.ao.quantization.quantize_fx torch.ao.quantization.quantize_jit torch.ao.quantization.stubs torch.ao.quantization.utils
torch.autograd torch.autograd.anomaly_mode torch.autograd.forward_ad torch.autograd.function torch.autograd.functional torch.autograd.grad_mode
torch.autograd.gradcheck torch.autograd.graph torch.autograd.profiler torch.autograd.profiler_legacy torch.autograd.profiler_util torch.autograd.variable
torch.backends torch.backends.cpu torch.backends.cuda torch.backends.cudnn torch.backends.cudnn.rnn torch.backends.cusparselt torch.backends.kleidiai
torch.backends.mha torch.backends.miopen torch.backends.mkl torch.backends.mkldnn torch.backends.mps torch.backends.nnpack torch.backends.openmp
torch.backends.opt_einsum torch.backends.python_native torch.backends.quantized torch.backends.xeon torch.backends.xeon.run_cpu torch.backends.xnnpack
torch.compiler torch.compiler.config torch.contrib torch.cpu torch.cpu.amp torch.cpu.amp.autocast_mode torch.cpu.amp.grad_scaler torch.cuda torch.cuda.amp
torch.cuda.amp.autocast_mode torch.cuda.amp.common torch.cuda.amp.grad_scaler torch.cuda.comm torch.cuda.gds torch.cuda.graphs torch.cuda.green_contexts
torch.cuda.jiterator torch.cuda.memory torch.cuda.nccl torch.cuda.nvtx torch.cuda.profiler torch.cuda.random torch.cuda.sparse torch.cuda.streams
torch.cuda.tunable torch.distributed torch.distributed.algorithms torch.distributed.algorithms.ddp_comm_hooks
torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks
torch.distributed.algorithms.ddp_comm_hooks.default_hooks torch.distributed.algorithms.ddp_comm_hooks.mixed_precision_hooks
torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook
torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks torch.distributed.algorithms.join
torch.distributed.algorithms.model_averaging torch.distributed.algorithms.model_averaging.averagers
torch.distributed.algorithms.model_averaging.hierarchical_model_averager torch.distributed.algorithms.model_averaging.utils torch.distributed.argparse_util
torch.distributed.autograd torch.distributed.c10d_logger torch.distributed.checkpoint torch.distributed.checkpoint.api
torch.distributed.checkpoint.default_planner torch.distributed.checkpoint.filesystem torch.distributed.checkpoint.format_utils
torch.distributed.checkpoint.hf_storage torch.distributed.checkpoint.logger torch.distributed.checkpoint.logging_handlers
torch.distributed.checkpoint.metadata torch.distributed.checkpoint.optimizer torch.distributed.checkpoint.planner
torch.distributed.checkpoint.planner_helpers torch.distributed.checkpoint.quantized_hf_storage torch.distributed.checkpoint.resharding
torch.distributed.checkpoint.staging torch.distributed.checkpoint.state_dict torch.distributed.checkpoint.state_dict_loader
torch.distributed.checkpoint.state_dict_saver torch.distributed.checkpoint.stateful torch.distributed.checkpoint.storage torch.distributed.checkpoint.utils
torch.distributed.collective_utils torch.distributed.config torch.distributed.constants torch.distributed.debug torch.distributed.device_mesh
torch.distributed.distributed_c10d torch.distributed.elastic torch.distributed.elastic.agent torch.distributed.elastic.agent.server
torch.distributed.elastic.agent.server.api torch.distributed.elastic.agent.server.health_check_server
torch.distributed.elastic.agent.server.local_elastic_agent torch.distributed.elastic.control_plane torch.distributed.elastic.events
torch.distributed.elastic.events.api torch.distributed.elastic.events.handlers torch.distributed.elastic.metrics torch.distributed.elastic.metrics.api
torch.distributed.elastic.multiprocessing torch.distributed.elastic.multiprocessing.api torch.distributed.elastic.multiprocessing.errors
torch.distributed.elastic.multiprocessing.errors.error_handler torch.distributed.elastic.multiprocessing.errors.handlers
torch.distributed.elastic.multiprocessing.redirects torch.distributed.elastic.multiprocessing.subprocess_handler
torch.distributed.elastic.multiprocessing.subprocess_handler.handlers torch.distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler
torch.distributed.elastic.multiprocessing.tail_log torch.distributed.elastic.rendezvous torch.distributed.elastic.rendezvous.api
torch.distributed.elastic.rendezvous.c10d_rendezvous_backend torch.distributed.elastic.rendezvous.dynamic_rendezvous
torch.distributed.elastic.rendezvous.etcd_rendezvous torch.distributed.elastic.rendezvous.etcd_rendezvous_backend
torch.distributed.elastic.rendezvous.etcd_server torch.distributed.elastic.rendezvous.etcd_store torch.distributed.elastic.rendezvous.registry
torch.distributed.elastic.rendezvous.static_tcp_rendezvous torch.distributed.elastic.rendezvous.utils torch.distributed.elastic.timer
torch.distributed.elastic.timer.api torch.distributed.elastic.timer.debug_info_logging torch.distributed.elastic.timer.file_based_local_timer
torch.distributed.elastic.timer.local_timer torch.distributed.elastic.utils torch.distributed.elastic.utils.api torch.distributed.elastic.utils.data
torch.distributed.elastic.utils.data.cycling_iterator torch.distributed.elastic.utils.data.elastic_distributed_sampler
torch.distributed.elastic.utils.distributed torch.distributed.elastic.utils.log_level torch.distributed.elastic.utils.logging
torch.distributed.elastic.utils.process_state torch.distributed.elastic.utils.store torch.distributed.flight_recorder
torch.distributed.flight_recorder.components torch.distributed.flight_recorder.components.builder
torch.distributed.flight_recorder.components.config_manager torch.distributed.flight_recorder.components.fr_logger
torch.distributed.flight_recorder.components.loader torch.distributed.flight_recorder.components.types torch.distributed.flight_recorder.components.utils
torch.distributed.flight_recorder.fr_trace torch.distributed.fsdp torch.distributed.fsdp.api torch.distributed.fsdp.fully_sharded_data_parallel
torch.distributed.fsdp.sharded_grad_scaler torch.distributed.fsdp.wrap torch.distributed.launch torch.distributed.launcher torch.distributed.launcher.api
torch.distributed.logging_handlers torch.distributed.nn torch.distributed.nn.api torch.distributed.nn.api.remote_module torch.distributed.nn.functional
torch.distributed.nn.jit torch.distributed.nn.jit.instantiator torch.distributed.nn.jit.templates torch.distributed.nn.jit.templates.remote_module_template
torch.distributed.optim torch.distributed.optim.apply_optimizer_in_backward torch.distributed.optim.functional_adadelta
torch.distributed.optim.functional_adagrad torch.distributed.optim.functional_adam torch.distributed.optim.functional_adamax
torch.distributed.optim.functional_adamw torch.distributed.optim.functional_rmsprop torch.distributed.optim.functional_rprop
torch.distributed.optim.functional_sgd torch.distributed.optim.named_optimizer torch.distributed.optim.optimizer
torch.distributed.optim.post_localSGD_optimizer torch.distributed.optim.utils torch.distributed.optim.zero_redundancy_optimizer torch.distributed.pipelining
torch.distributed.pipelining.microbatch torch.distributed.pipelining.schedules torch.distributed.pipelining.stage torch.distributed.remote_device
torch.distributed.rendezvous torch.distributed.rpc torch.distributed.rpc.api torch.distributed.rpc.backend_registry torch.distributed.rpc.constants
torch.distributed.rpc.functions torch.distributed.rpc.internal torch.distributed.rpc.options torch.distributed.rpc.rref_proxy
torch.distributed.rpc.server_process_global_profiler torch.distributed.run torch.distributed.tensor torch.distributed.tensor.debug
torch.distributed.tensor.device_mesh torch.distributed.tensor.experimental torch.distributed.tensor.parallel torch.distributed.tensor.parallel.api
torch.distributed.tensor.parallel.ddp torch.distributed.tensor.parallel.fsdp torch.distributed.tensor.parallel.input_reshard
torch.distributed.tensor.parallel.loss torch.distributed.tensor.parallel.style torch.distributed.tensor.placement_types torch.distributed.utils
torch.distributions torch.distributions.bernoulli torch.distributions.beta torch.distributions.binomial torch.distributions.categorical
torch.distributions.cauchy torch.distributions.chi2 torch.distributions.constraint_registry torch.distributions.constraints
torch.distributions.continuous_bernoulli torch.distributions.dirichlet torch.distributions.distribution torch.distributions.exp_family
torch.distributions.exponential torch.distributions.fishersnedecor torch.distributions.gamma torch.distributions.generalized_pareto
torch.distributions.geometric torch.distributions.gumbel torch.distributions.half_cauchy torch.distributions.half_normal torch.distributions.independent
torch.distributions.inverse_gamma torch.distributions.kl torch.distributions.kumaraswamy torch.distributions.laplace torch.distributions.lkj_cholesky
torch.distributions.log_normal torch.distributions.logistic_normal torch.distributions.lowrank_multivariate_normal torch.distributions.mixture_same_family
torch.distributions.multinomial torch.distributions.multivariate_normal torch.distributions.negative_binomial torch.distributions.normal
torch.distributions.one_hot_categorical torch.distributions.pareto torch.distributions.poisson torch.distributions.relaxed_bernoulli
torch.distributions.relaxed_categorical torch.distributions.studentT torch.distributions.transformed_distribution torch.distributions.transforms
torch.distributions.uniform torch.distributions.utils torch.distributions.von_mises torch.distributions.weibull torch.distributions.wishart torch.export
torch.export.custom_obj torch.export.custom_ops torch.export.decomp_utils torch.export.dynamic_shapes torch.export.experimental
torch.export.exported_program torch.export.graph_signature torch.export.passes torch.export.pt2_archive torch.export.pt2_archive.constants
torch.export.unflatten torch.fft torch.func torch.functional torch.futures torch.fx torch.fx.annotate torch.fx.config torch.fx.experimental
torch.fx.experimental.accelerator_partitioner torch.fx.experimental.const_fold torch.fx.experimental.debug torch.fx.experimental.dynamic_spec
torch.fx.experimental.graph_gradual_typechecker torch.fx.experimental.merge_matmul torch.fx.experimental.meta_tracer
torch.fx.experimental.migrate_gradual_types torch.fx.experimental.migrate_gradual_types.constraint
torch.fx.experimental.migrate_gradual_types.constraint_generator torch.fx.experimental.migrate_gradual_types.constraint_transformation
torch.fx.experimental.migrate_gradual_types.operation torch.fx.experimental.migrate_gradual_types.transform_to_z3
torch.fx.experimental.migrate_gradual_types.util torch.fx.experimental.migrate_gradual_types.z3_types torch.fx.experimental.normalize
torch.fx.experimental.optimization torch.fx.experimental.partitioner_utils torch.fx.experimental.proxy_tensor torch.fx.experimental.recording
torch.fx.experimental.refinement_types torch.fx.experimental.rewriter torch.fx.experimental.schema_type_annotation torch.fx.experimental.sym_node
torch.fx.experimental.symbolic_shapes torch.fx.experimental.unification torch.fx.experimental.unification.core torch.fx.experimental.unification.dispatch
torch.fx.experimental.unification.match torch.fx.experimental.unification.more torch.fx.experimental.unification.multipledispatch
torch.fx.experimental.unification.multipledispatch.conflict torch.fx.experimental.unification.multipledispatch.core
torch.fx.experimental.unification.multipledispatch.dispatcher torch.fx.experimental.unification.multipledispatch.utils
torch.fx.experimental.unification.multipledispatch.variadic torch.fx.experimental.unification.unification_tools torch.fx.experimental.unification.utils
torch.fx.experimental.unification.variable torch.fx.experimental.unify_refinements torch.fx.experimental.validator torch.fx.graph torch.fx.graph_module
torch.fx.immutable_collections torch.fx.interpreter torch.fx.node torch.fx.operator_schemas torch.fx.passes torch.fx.passes.annotate_getitem_nodes
torch.fx.passes.backends torch.fx.passes.backends.cudagraphs torch.fx.passes.dialect torch.fx.passes.dialect.common torch.fx.passes.dialect.common.cse_pass
torch.fx.passes.fake_tensor_prop torch.fx.passes.graph_drawer torch.fx.passes.graph_manipulation torch.fx.passes.graph_transform_observer
torch.fx.passes.infra torch.fx.passes.infra.partitioner torch.fx.passes.infra.pass_base torch.fx.passes.infra.pass_manager torch.fx.passes.net_min_base
torch.fx.passes.operator_support torch.fx.passes.param_fetch torch.fx.passes.pass_manager torch.fx.passes.regional_inductor
torch.fx.passes.regional_inductor_invoke_subgraph torch.fx.passes.reinplace torch.fx.passes.runtime_assert torch.fx.passes.shape_prop
torch.fx.passes.split_module torch.fx.passes.split_utils torch.fx.passes.splitter_base torch.fx.passes.tests torch.fx.passes.tests.test_pass_manager
torch.fx.passes.tools_common torch.fx.passes.utils torch.fx.passes.utils.common torch.fx.passes.utils.fuser_utils torch.fx.passes.utils.matcher_utils
torch.fx.passes.utils.matcher_with_name_node_map_utils torch.fx.passes.utils.source_matcher_utils torch.fx.proxy torch.fx.subgraph_rewriter
torch.fx.tensor_type torch.fx.traceback torch.hub torch.jit torch.jit.annotations torch.jit.frontend torch.jit.generate_bytecode torch.jit.mobile
torch.jit.quantized torch.jit.supported_ops torch.jit.unsupported_tensor_ops torch.library torch.linalg torch.masked torch.masked.maskedtensor
torch.masked.maskedtensor.binary torch.masked.maskedtensor.core torch.masked.maskedtensor.creation torch.masked.maskedtensor.passthrough
torch.masked.maskedtensor.reductions torch.masked.maskedtensor.unary torch.monitor torch.mps torch.mps.event torch.mps.profiler torch.mtia torch.mtia.memory
torch.mtia.mtia_graph torch.multiprocessing torch.multiprocessing.pool torch.multiprocessing.queue torch.multiprocessing.reductions
torch.multiprocessing.spawn torch.nativert torch.nativert.backends torch.nested torch.nn torch.nn.attention torch.nn.attention.bias
torch.nn.attention.experimental torch.nn.attention.flex_attention torch.nn.attention.varlen torch.nn.backends torch.nn.backends.thnn torch.nn.common_types
torch.nn.cpp torch.nn.functional torch.nn.grad torch.nn.init torch.nn.intrinsic torch.nn.intrinsic.modules torch.nn.intrinsic.modules.fused
torch.nn.intrinsic.qat torch.nn.intrinsic.qat.modules torch.nn.intrinsic.qat.modules.conv_fused torch.nn.intrinsic.qat.modules.linear_fused
torch.nn.intrinsic.qat.modules.linear_relu torch.nn.intrinsic.quantized torch.nn.intrinsic.quantized.dynamic torch.nn.intrinsic.quantized.dynamic.modules
torch.nn.intrinsic.quantized.dynamic.modules.linear_relu torch.nn.intrinsic.quantized.modules torch.nn.intrinsic.quantized.modules.bn_relu
torch.nn.intrinsic.quantized.modules.conv_relu torch.nn.intrinsic.quantized.modules.linear_relu torch.nn.modules torch.nn.modules.activation
torch.nn.modules.adaptive torch.nn.modules.batchnorm torch.nn.modules.channelshuffle torch.nn.modules.container torch.nn.modules.conv
torch.nn.modules.distance torch.nn.modules.dropout torch.nn.modules.flatten torch.nn.modules.fold torch.nn.modules.instancenorm torch.nn.modules.lazy
torch.nn.modules.linear torch.nn.modules.linear_cross_entropy torch.nn.modules.linear_cross_entropy_options torch.nn.modules.loss torch.nn.modules.module
torch.nn.modules.normalization torch.nn.modules.padding torch.nn.modules.pixelshuffle torch.nn.modules.pooling torch.nn.modules.rnn torch.nn.modules.sparse
torch.nn.modules.transformer torch.nn.modules.upsampling torch.nn.modules.utils torch.nn.parallel torch.nn.parallel.comm torch.nn.parallel.data_parallel
torch.nn.parallel.distributed torch.nn.parallel.parallel_apply torch.nn.parallel.replicate torch.nn.parallel.scatter_gather torch.nn.parameter torch.nn.qat
torch.nn.qat.dynamic torch.nn.qat.dynamic.modules torch.nn.qat.dynamic.modules.linear torch.nn.qat.modules torch.nn.qat.modules.conv
torch.nn.qat.modules.embedding_ops torch.nn.qat.modules.linear torch.nn.quantizable torch.nn.quantizable.modules torch.nn.quantizable.modules.activation
torch.nn.quantizable.modules.rnn torch.nn.quantized torch.nn.quantized.dynamic torch.nn.quantized.dynamic.modules torch.nn.quantized.dynamic.modules.conv
torch.nn.quantized.dynamic.modules.linear torch.nn.quantized.dynamic.modules.rnn torch.nn.quantized.functional torch.nn.quantized.modules
torch.nn.quantized.modules.activation torch.nn.quantized.modules.batchnorm torch.nn.quantized.modules.conv torch.nn.quantized.modules.dropout
torch.nn.quantized.modules.embedding_ops torch.nn.quantized.modules.functional_modules torch.nn.quantized.modules.linear
torch.nn.quantized.modules.normalization torch.nn.quantized.modules.rnn torch.nn.quantized.modules.utils torch.nn.utils torch.nn.utils.clip_grad
torch.nn.utils.convert_parameters torch.nn.utils.fusion torch.nn.utils.init torch.nn.utils.memory_format torch.nn.utils.parametrizations
torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.spectral_norm torch.nn.utils.stateless torch.nn.utils.weight_norm
torch.numa torch.numa.binding torch.onnx torch.onnx.errors torch.onnx.operators torch.onnx.ops torch.onnx.symbolic_helper torch.onnx.symbolic_opset10
torch.onnx.symbolic_opset11 torch.onnx.symbolic_opset12 torch.onnx.symbolic_opset13 torch.onnx.symbolic_opset14 torch.onnx.symbolic_opset15
torch.onnx.symbolic_opset16 torch.onnx.symbolic_opset17 torch.onnx.symbolic_opset18 torch.onnx.symbolic_opset19 torch.onnx.symbolic_opset20
torch.onnx.symbolic_opset7 torch.onnx.symbolic_opset8 torch.onnx.symbolic_opset9 torch.onnx.testing torch.onnx.utils torch.onnx.verification torch.optim
torch.optim.adadelta torch.optim.adagrad torch.optim.adam torch.optim.adamax torch.optim.adamw torch.optim.asgd torch.optim.lbfgs torch.optim.lr_scheduler
torch.optim.nadam torch.optim.optimizer torch.optim.radam torch.optim.rmsprop torch.optim.rprop torch.optim.sgd torch.optim.sparse_adam
torch.optim.swa_utils torch.overrides torch.package torch.package.analyze torch.package.analyze.find_first_use_of_broken_modules
torch.package.analyze.is_from_package torch.package.analyze.trace_dependencies torch.package.file_structure_representation
torch.package.find_file_dependencies torch.package.glob_group torch.package.importer torch.package.package_exporter torch.package.package_importer
torch.profiler torch.profiler.itt torch.profiler.profiler torch.profiler.python_tracer torch.quantization torch.quantization.fake_quantize
torch.quantization.fuse_modules torch.quantization.fuser_method_mappings torch.quantization.fx torch.quantization.fx.convert torch.quantization.fx.fuse
torch.quantization.fx.fusion_patterns torch.quantization.fx.graph_module torch.quantization.fx.match_utils torch.quantization.fx.pattern_utils
torch.quantization.fx.prepare torch.quantization.fx.quantization_patterns torch.quantization.fx.quantization_types torch.quantization.fx.utils
torch.quantization.observer torch.quantization.qconfig torch.quantization.quant_type torch.quantization.quantization_mappings torch.quantization.quantize
torch.quantization.quantize_fx torch.quantization.quantize_jit torch.quantization.stubs torch.quantization.utils torch.quasirandom torch.random
torch.return_types torch.serialization torch.signal torch.signal.windows torch.signal.windows.windows torch.sparse torch.sparse.semi_structured
torch.special torch.storage torch.testing torch.torch_version torch.types torch.utils torch.utils.backcompat torch.utils.backend_registration
torch.utils.benchmark torch.utils.benchmark.examples torch.utils.benchmark.examples.compare torch.utils.benchmark.examples.fuzzer
torch.utils.benchmark.examples.op_benchmark torch.utils.benchmark.examples.simple_timeit torch.utils.benchmark.examples.spectral_ops_fuzz_test
torch.utils.benchmark.op_fuzzers torch.utils.benchmark.op_fuzzers.binary torch.utils.benchmark.op_fuzzers.sparse_binary
torch.utils.benchmark.op_fuzzers.sparse_unary torch.utils.benchmark.op_fuzzers.spectral torch.utils.benchmark.op_fuzzers.unary torch.utils.benchmark.utils
torch.utils.benchmark.utils.common torch.utils.benchmark.utils.compare torch.utils.benchmark.utils.compile torch.utils.benchmark.utils.cpp_jit
torch.utils.benchmark.utils.fuzzer torch.utils.benchmark.utils.sparse_fuzzer torch.utils.benchmark.utils.timer torch.utils.benchmark.utils.valgrind_wrapper
torch.utils.benchmark.utils.valgrind_wrapper.timer_interface torch.utils.bundled_inputs torch.utils.checkpoint torch.utils.collect_env
torch.utils.cpp_backtrace torch.utils.cpp_extension torch.utils.data torch.utils.data.backward_compatibility torch.utils.data.dataloader
torch.utils.data.datapipes torch.utils.data.datapipes.dataframe torch.utils.data.datapipes.dataframe.dataframe_wrapper
torch.utils.data.datapipes.dataframe.dataframes torch.utils.data.datapipes.dataframe.datapipes torch.utils.data.datapipes.dataframe.structures
torch.utils.data.datapipes.datapipe torch.utils.data.datapipes.gen_pyi torch.utils.data.datapipes.iter torch.utils.data.datapipes.iter.callable
torch.utils.data.datapipes.iter.combinatorics torch.utils.data.datapipes.iter.combining torch.utils.data.datapipes.iter.filelister
torch.utils.data.datapipes.iter.fileopener torch.utils.data.datapipes.iter.grouping torch.utils.data.datapipes.iter.routeddecoder
torch.utils.data.datapipes.iter.selecting torch.utils.data.datapipes.iter.sharding torch.utils.data.datapipes.iter.streamreader
torch.utils.data.datapipes.iter.utils torch.utils.data.datapipes.map torch.utils.data.datapipes.map.callable torch.utils.data.datapipes.map.combinatorics
torch.utils.data.datapipes.map.combining torch.utils.data.datapipes.map.grouping torch.utils.data.datapipes.map.utils torch.utils.data.datapipes.utils
torch.utils.data.datapipes.utils.common torch.utils.data.datapipes.utils.decoder torch.utils.data.datapipes.utils.snapshot torch.utils.data.dataset
torch.utils.data.distributed torch.utils.data.graph torch.utils.data.graph_settings torch.utils.data.sampler torch.utils.debug_log torch.utils.deterministic
torch.utils.dlpack torch.utils.file_baton torch.utils.flop_counter torch.utils.hipify torch.utils.hipify.constants torch.utils.hipify.cuda_to_hip_mappings
torch.utils.hipify.hipify_python torch.utils.hipify.version torch.utils.hooks torch.utils.jit torch.utils.jit.log_extract torch.utils.mkldnn
torch.utils.mobile_optimizer torch.utils.model_dump torch.utils.model_zoo torch.utils.module_tracker torch.utils.serialization
torch.utils.serialization.config torch.utils.show_pickle torch.utils.tensorboard torch.utils.throughput_benchmark torch.utils.viz torch.utils.weak
torch.version torch.xpu torch.xpu.graphs torch.xpu.memory torch.xpu.random torch.xpu.streams
"""
