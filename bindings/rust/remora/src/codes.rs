// SPDX-License-Identifier: Apache-2.0

//! What the library tells by number: origins, outcomes, causes, changes and types.

use crate::open_enum::open_enum;

open_enum! {
    /// Where a live value comes from.
    Origin {
        /// Nothing yet: never fetched, nothing packaged.
        Nothing = REMORA_ORIGIN_NONE,
        /// The default bundle that the host gave at open.
        Default = REMORA_ORIGIN_DEFAULT,
        /// Packaged data that the host gave at open.
        Packaged = REMORA_ORIGIN_PACKAGED,
        /// Read from storage: fetched by an earlier run.
        Cached = REMORA_ORIGIN_CACHED,
        /// Fetched in the life of this client, by this process or another.
        Fetched = REMORA_ORIGIN_FETCHED,
        /// Of a key only: all of its value, or a part, is an override.
        Override = REMORA_ORIGIN_OVERRIDE,
    }
}

open_enum! {
    /// What a refresh did. Successes are the first four.
    Outcome {
        /// A newer version is live.
        Updated = REMORA_OUTCOME_UPDATED,
        /// The server has nothing newer.
        Unchanged = REMORA_OUTCOME_UNCHANGED,
        /// The server offered something older; it was not used.
        NotNewer = REMORA_OUTCOME_NOT_NEWER,
        /// A newer version is stored and waits for its activation.
        Staged = REMORA_OUTCOME_STAGED,
        /// An answer came and failed a check.
        Refused = REMORA_OUTCOME_REFUSED,
        /// No usable answer came.
        Failed = REMORA_OUTCOME_FAILED,
    }
}

impl Outcome {
    /// The outcome of an event, if it tells of a refresh.
    pub(crate) fn of_event(number: i32) -> Option<Self> {
        (number != remora_sys::REMORA_OUTCOME_NONE).then(|| Self::from_raw(number))
    }
}

open_enum! {
    /// Why an event comes.
    Cause {
        /// The state at open or at subscription (replay).
        Opened = REMORA_CAUSE_OPENED,
        /// A refresh of this client ended.
        Refreshed = REMORA_CAUSE_REFRESHED,
        /// Another client or process fetched; this one took it over.
        Adopted = REMORA_CAUSE_ADOPTED,
        /// [`Source::reset`](crate::Source::reset).
        Reset = REMORA_CAUSE_RESET,
        /// [`Client::set_context`](crate::Client::set_context) changed what filters show.
        Context = REMORA_CAUSE_CONTEXT,
        /// [`Source::set_override`](crate::Source::set_override), or an override was cleared.
        Override = REMORA_CAUSE_OVERRIDE,
        /// [`Source::activate`](crate::Source::activate) made live what was staged.
        Activated = REMORA_CAUSE_ACTIVATED,
    }
}

open_enum! {
    /// What happened to a key.
    ChangeKind {
        /// The key is new.
        Created = REMORA_CHANGE_CREATED,
        /// The value of the key is another.
        Updated = REMORA_CHANGE_UPDATED,
        /// The key is gone.
        Deleted = REMORA_CHANGE_DELETED,
    }
}

open_enum! {
    /// The type of a [`Value`](crate::Value).
    Kind {
        /// JSON null.
        Null = REMORA_TYPE_NULL,
        /// A boolean.
        Bool = REMORA_TYPE_BOOL,
        /// A 64-bit integer.
        Int = REMORA_TYPE_INT,
        /// A double.
        Double = REMORA_TYPE_DOUBLE,
        /// A string.
        String = REMORA_TYPE_STRING,
        /// An array.
        Array = REMORA_TYPE_ARRAY,
        /// An object.
        Object = REMORA_TYPE_OBJECT,
    }
}
