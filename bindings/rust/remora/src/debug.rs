// SPDX-License-Identifier: Apache-2.0

//! `Debug` of handles and builders: prints only the type's name, as options may contain credentials.

use std::fmt;

use crate::ffi::Texts;
use crate::{
    AttachmentRequest, BundleBuilder, BundleIdentity, Changes, Client, ClientBuilder,
    CollectionBuilder, CollectionIdentity, Preconnect, Request, Seed, Settings, SettingsBuilder,
    SettingsIdentity, Source, Subscription,
};

macro_rules! print_the_name_of {
    ($($name:ident $(<$lifetime:lifetime>)? $([$kind:ident])?)+) => {
        $(impl $(<$kind>)? fmt::Debug for $name $(<$lifetime>)? $(<$kind>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })+
    };
}

print_the_name_of! {
    AttachmentRequest<'_> BundleBuilder BundleIdentity Changes Client ClientBuilder
    CollectionBuilder CollectionIdentity Preconnect Request Seed[I] Settings SettingsBuilder
    SettingsIdentity Source Subscription Texts
}
