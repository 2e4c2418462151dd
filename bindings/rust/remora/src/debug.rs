// SPDX-License-Identifier: Apache-2.0

//! What handles and builders print when debugged: their names. Options may hold credentials.

use std::fmt;

use crate::{
    AttachmentRequest, BundleBuilder, Changes, Client, ClientBuilder, CollectionBuilder,
    Preconnect, Request, Settings, SettingsBuilder, Source, Subscription,
};

macro_rules! print_the_name_of {
    ($($name:ident $(<$lifetime:lifetime>)?)+) => {
        $(impl fmt::Debug for $name $(<$lifetime>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })+
    };
}

print_the_name_of! {
    AttachmentRequest<'_> BundleBuilder Changes Client ClientBuilder CollectionBuilder Preconnect
    Request Settings SettingsBuilder Source Subscription
}
