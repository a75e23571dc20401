// Figures that were published, one line each with its source: what `drover validate` runs when no
// table is given. Lines are grouped by what they measure; a new figure is a new line.
#include "commands/validate_tables.h"

namespace drover::commands {

std::string_view reference_points() {
  return R"csv(kind,device,devices,model,precision,seq_len,global_batch,micro_batch,tp,pp,dp,cp,ep,fsdp,recompute,batch,context_len,input_len,m,n,k,bytes,collective,devices_per_node,answer,value,class,source,remark
gemm,a100-sxm-80gb,1,,fp16,,,,,,,,,,,,,,4096,6144,4096,,,,time_ms,0.91375,gemm,microsoft/vidur,data/profiling/compute
gemm,a100-sxm-80gb,1,,fp16,,,,,,,,,,,,,,2048,10240,8192,,,,time_ms,1.437,gemm,microsoft/vidur,data/profiling/compute
gemm,a100-sxm-80gb,1,,fp16,,,,,,,,,,,,,,1024,1280,8192,,,,time_ms,0.119,gemm,microsoft/vidur,data/profiling/compute
gemm,h100-sxm,1,,fp16,,,,,,,,,,,,,,512,6144,4096,,,,time_ms,0.046,gemm,microsoft/vidur,data/profiling/compute
gemm,h100-sxm,1,,fp16,,,,,,,,,,,,,,256,10240,8192,,,,time_ms,0.0875,gemm,microsoft/vidur,data/profiling/compute
decode,h100-sxm,1,llama-3.1-8b,bf16,,,,,,,,,,,8,450,,,,,,,,time_ms,7.32,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,1,llama-3.1-8b,bf16,,,,,,,,,,,32,450,,,,,,,,time_ms,8.91,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,1,llama-3.1-8b,bf16,,,,,,,,,,,64,450,,,,,,,,time_ms,11.50,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,1,llama-3.1-8b,bf16,,,,,,,,,,,128,450,,,,,,,,time_ms,16.48,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,4,llama-3.1-70b,bf16,,,,4,,,,,,,8,450,,,,,,,,time_ms,16.57,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,4,llama-3.1-70b,bf16,,,,4,,,,,,,32,450,,,,,,,,time_ms,20.05,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,4,llama-3.1-70b,bf16,,,,4,,,,,,,64,450,,,,,,,,time_ms,22.43,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
decode,h100-sxm,4,llama-3.1-70b,bf16,,,,4,,,,,,,128,450,,,,,,,,time_ms,27.87,decode,ML.ENERGY leaderboard v3,"vLLM, chat; context assumed"
train,h100-sxm,16384,llama-3.1-405b,bf16,8192,2048,,8,16,128,1,,1,,,,,,,,,,,tflops_per_device,400,train-gpu,Llama 3 paper,"arXiv:2407.21783, table 4"
train,h100-sxm,512,mpt-30b,bf16,2048,4096,8,,,512,,,1,full,,,,,,,,,,tokens_per_s,1082880,train-gpu,mosaicml/llm-foundry,scripts/train/benchmarking/README.md
train,a100-sxm-80gb,8,mpt-30b,bf16,512,2016,12,,,8,,,1,full,,,,,,,,,,tokens_per_s,7736,train-gpu,mosaicml/llm-foundry,scripts/train/benchmarking/README.md
train,a100-sxm-40gb,64,mpt-7b,bf16,2048,1152,18,,,64,,,1,full,,,,,,,,,,tokens_per_s,234560,train-gpu,mosaicml/llm-foundry,scripts/train/benchmarking/README.md
train,a100-sxm-80gb,8,resnet-50,fp16,,2048,,,,8,,,,,,,,,,,,,,samples_per_s,16621,classic,NVIDIA/DeepLearningExamples,ConvNets resnet50v1.5
collective,a100-sxm-80gb,2,,,,,,,,,,,,,,,,,,,1073741824,all_reduce,2,time_ms,5.535,collective,vTrain,NCCL tables: 194 GB/s on 2 A100
collective,a100-sxm-80gb,4,,,,,,,,,,,,,,,,,,,1073741824,all_reduce,4,time_ms,7.321,collective,vTrain,NCCL tables: 220 GB/s of bus on 4 A100
collective,a100-sxm-80gb,8,,,,,,,,,,,,,,,,,,,1073741824,all_reduce,8,time_ms,8.170,collective,vTrain,NCCL tables: 230 GB/s of bus on 8 A100
collective,a100-pcie-80gb,2,,,,,,,,,,,,,,,,,,,1073741824,all_reduce,2,time_ms,5.162,collective,NVIDIA/nccl-tests,"issue 178: 208 GB/s of bus on a bridged pair"
collective,a100-pcie-80gb,3,,,,,,,,,,,,,,,,,,,1073741824,all_reduce,3,time_ms,71.58,collective,NVIDIA/nccl-tests,"issue 178: 20 GB/s of bus beyond the bridge"
collective,h100-sxm,8,,,,,,,,,,,,,,,,,,,4294967296,all_reduce,8,time_ms,15.62,collective,NVIDIA/nccl-tests,"issue 212: 275 GB/s at large sizes, NVLink SHARP"
collective,h100-sxm,8,,,,,,,,,,,,,,,,,,,4294967296,all_gather,8,time_ms,10.16,collective,NVIDIA/nccl-tests,"issue 212: 370 GB/s of bus at large sizes, rings"
collective,h200-sxm,8,,,,,,,,,,,,,,,,,,,4294967296,all_reduce,8,time_ms,15.82,collective,NVIDIA/nccl-tests,"issue 272: 475 GB/s of bus, 8 H200"
)csv";
}

}  // namespace drover::commands
