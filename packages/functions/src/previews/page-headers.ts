/** Headers of every response from a host that serves pages generated in sessions. */
export const BASE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "Origin-Agent-Cluster": "?1",
  "X-DNS-Prefetch-Control": "off",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=()",
}

export const OWN_HOST_HEADERS = {
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
}

/**
 * Headers that let a page without an origin read its own files, because browsers treat them as cross-origin. The files
 * are protected by their URL, which can't be guessed.
 */
export const OPAQUE_HEADERS = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "null",
}

export const PREFLIGHT_HEADERS = {
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "*",
}

export const NOTHING_HEADERS = {
  ...BASE_HEADERS,
  ...OWN_HOST_HEADERS,
  "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
}
