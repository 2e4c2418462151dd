// SPDX-License-Identifier: Apache-2.0
//
// The handles of a source: opening and closing, the end of the source, and fork.

extension Source {
  // MARK: Handles

  /// Adds the handle of an opener, with the experiments that its opening has stored and that are to be reported.
  func addHandle(bringing experiments: [ExperimentID], _ locked: Locked) {
    core.state.with(locked) {
      $0.handles += 1
      $0.data.pendingExperiments.add(ofAnotherOpening: experiments)
    }
  }

  /// Ends the subscriptions and calls of a handle, and waits for its callback unless the caller is inside one. Returns
  /// objects to be released after unlocking.
  func endCalls(of handle: ObjectIdentifier, _ locked: Locked) -> [Any] {
    let calls = refreshes.mute(of: handle, locked)
    let (ended, dropped) = core.subscribers.removeAll(of: handle, locked)
    core.subscribers.waitForCallbacks(of: ended, and: handle, locked)
    return ended + calls + dropped
  }

  /// Removes a handle. Returns whether it was the last handle of a source that has not ended.
  func removeHandle(_ locked: Locked) -> Bool {
    core.state.with(locked) { state in
      state.handles -= 1
      return state.handles == 0 && !state.isEnded
    }
  }

  /// Keeps the source of a tag open until these settings end. Returns whether these settings are still open.
  func keep(_ tag: Source, named name: [UInt8], _ locked: Locked) -> Bool {
    guard isOpen(locked) else { return false }
    if tags[locked].updateValue(tag, forKey: name) == nil { tag.addHandle(bringing: [], locked) }
    return true
  }

  /// Returns the sources of tags that these settings have kept open, whose handles the caller removes.
  func takeTags(_ locked: Locked) -> [Source] { Array(exchange(&tags[locked], [:]).values) }

  /// Logs the options of a later opening that have no effect.
  func noteIgnored(_ options: SourceOptions) {
    let names = options.ignored(comparedWith: self.options)
    guard !names.isEmpty else { return }
    note(
      .warning,
      "the source was already open, so opening it again ignored these options: "
        + names.joined(separator: ", "))
  }

  // MARK: Subscribers

  /// Adds the subscriber of an opener, which receives the state at opening.
  func add(first sink: @escaping EventSink, owner: ObjectIdentifier, _ locked: Locked) {
    let replay = dialect.openingEvent.comes(with: live(locked).origin)
    core.add(Subscription(key: nil, sink: sink), owner: owner, replay: replay, locked)
  }

  // MARK: The end

  /// Ends all refreshes, resets and subscriptions. Returns objects to be released after unlocking.
  func end(_ error: RemoraError, _ locked: Locked) -> [Any] {
    core.state[locked].isEnded = true
    let (ended, dropped) = core.subscribers.removeAll(locked)
    return ended + dropped + takeTags(locked) + endCalls(error, locked)
  }

  /// Ends all refreshes and resets, because the source is closed or the process exits. Returns objects to be released
  /// after unlocking.
  func endCalls(_ error: RemoraError, _ locked: Locked) -> [Any] {
    refreshes.end(error, locked) + resets.endCalls(locked)
  }

  /// Called after a fork, in the child: refreshes belong to the parent, and no worker polls for the source.
  func resumeChild(_ locked: Locked, _ exclusive: Exclusive) {
    polling.resumeChild(locked)
    refreshes.runs.resumeChild(locked)
    publisher.files.resumeChild(exclusive)
    overridesStore.file[locked].resumeChild()
    core.state[locked].data.pendingExperiments.resumeChild()
    resets.resumeChild(locked)
  }
}
