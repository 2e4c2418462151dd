// SPDX-License-Identifier: Apache-2.0

//! Section "transport and clock" of `remora.h`.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_http_request {
    pub struct_size: usize,
    pub id: i64,
    pub method: *const c_char,
    pub url: *const c_char,
    pub headers: *const *const c_char,
}

pub type remora_send_callback =
    Option<unsafe extern "C" fn(request: *const remora_http_request, user_data: *mut c_void)>;

pub type remora_cancel_callback =
    Option<unsafe extern "C" fn(request_id: i64, user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_transport {
    pub struct_size: usize,
    pub send: remora_send_callback,
    pub cancel: remora_cancel_callback,
    pub user_data: *mut c_void,
    pub free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_http_response {
    pub struct_size: usize,
    pub failure: remora_status,
    pub http_status: i32,
    pub message: *const c_char,
    pub headers: *const *const c_char,
    pub body: *const c_void,
    pub body_size: usize,
}

pub type remora_clock_callback = Option<
    unsafe extern "C" fn(out_wall_ms: *mut i64, out_monotonic_ms: *mut i64, user_data: *mut c_void),
>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_clock {
    pub struct_size: usize,
    pub read: remora_clock_callback,
    pub user_data: *mut c_void,
    pub free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

extern "C" {
    pub fn remora_respond(
        request_id: i64,
        response: *const remora_http_response,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_clock_changed();
}
