// SPDX-License-Identifier: Apache-2.0
//
// Section "settings" of remora.h: experiments.

public import CRemora
internal import Remora

@_cdecl("remora_experiment_find") @implementation
public func remora_experiment_find(
  _ snapshot: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ out_experiment: UnsafeMutablePointer<remora_experiment>?, _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let reader = reader(of: try require(snapshot, "snapshot")).pointee
    let experiment = try Experiments.required(bytes(of: try require(name, "name")), in: reader)
    try write(remora_experiment(experiment), to: out_experiment, "out_experiment")
  }
}

@_cdecl("remora_experiment_foreach") @implementation
public func remora_experiment_foreach(
  _ snapshot: OpaquePointer?, _ visitor: remora_experiment_visitor?, _ user_data: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<remora_error>?
) -> Int32 {
  readBoundary(error) { () throws(RemoraError) in
    let reader = reader(of: try require(snapshot, "snapshot")).pointee
    let visitor = try require(visitor, "visitor")
    var visits = Visits()
    Experiments(of: reader)?.forEach { experiment in
      var experiment = remora_experiment(experiment)
      return visits.visit { visitor(&experiment, user_data) }
    }
    try visits.end()
  }
}

extension remora_experiment {
  /// Converts an experiment to the header's structure, which is valid as long as the core's.
  init(_ experiment: Experiment) {
    self.init(
      struct_size: MemoryLayout<remora_experiment>.size, name: experiment.name.cString,
      name_length: experiment.name.count, variant: experiment.variant.cString,
      variant_length: experiment.variant.count, trackable: experiment.trackable,
      settings: experiment.settings.map { remora_value($0) } ?? remora_value())
  }
}
