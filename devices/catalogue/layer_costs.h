// The costs of nets described by layers, besides their arithmetic.
#pragma once

namespace drover::devices {

/// Achieved shares and costs of the layers of convolution, recurrent and encoder nets and of their
/// software. Fitted; see docs/devices.md. A "pass" is one read or write of a tensor.
struct LayerCosts {
  // Share of the peak that large convolutions and encoder products achieve, by precision.
  double layer_fp32 = 0, layer_tf32 = 0, layer_fp16 = 0, layer_int8 = 0, layer_fp8 = 0;
  double layer_attention = 0;  // of that share: scores and weighted sums
  double winograd_factor = 1;  // saving in fp32 products of 3 x 3 taps (classic/layers.cpp)
  double kernel_cycles = 0;    // minimum from one kernel's start to the next

  // Inference by a compiled engine.
  double engine_traffic = 1;         // share of activations that go through memory, not caches
  double engine_fixed_s = 0;         // per batch
  double engine_encoder_passes = 0;  // per encoder layer, tokens x hidden
  double engine_score_passes = 0;
  double group_norm_passes = 0;  // norms that need the output's statistics, per output element

  // Inference by a framework, one call per layer.
  // Per output element of a convolution; with matrix units this includes their layout conversion.
  double framework_passes = 0, narrow_framework_passes = 0;
  double framework_encoder_passes = 0, framework_score_passes = 0;
  double framework_layer_s = 0, autocast_layer_s = 0;  // host, per layer
  double framework_fixed_s = 0;                        // host, per batch
  double framework_encoder_s = 0;                      // host, per encoder layer, not hidden
  double evaluation_s = 0;                             // host, per evaluation of a diffusion net

  // Training: norms, activation functions and their gradients, per output element; in tf32 also the
  // conversion to and from the layout of matrix units (NHWC).
  double training_passes = 0, tf32_training_passes = 0, mixed_training_passes = 0;
  double autocast_training_passes = 0, tuned_training_passes = 0;
  double encoder_training_passes = 0, mixed_encoder_training_passes = 0;
  double tuned_encoder_training_passes = 0;
  double encoder_training_score_passes = 0, relative_score_factor = 1;
  double training_layer_s = 0, encoder_training_layer_s = 0;    // host, per layer
  double optimizer_layer_s = 0, optimizer_encoder_layer_s = 0;  // not hidden, per layer
  double tuned_fixed_s = 0;                                     // per step
  double optimizer_passes = 0;                                  // over the fp32 parameters
  double recurrent_step_s = 0;                                  // of one dependent step
  double hidden_reduction = 0;  // share of the step that hides the reduction of gradients
};

}  // namespace drover::devices
