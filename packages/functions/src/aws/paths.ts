import { ORIGIN_HEADER, VIEWER_HEADER } from "../http/origin.ts"

/**
 * Paths whose responses stream for the duration of a run. The stream function serves these paths and all event-stream
 * requests. The API function serves the rest.
 */
export const STREAMED_PATH = /\/(stream|generate|workflows\/run)$/

/** Streamed paths whose responses end with their run. Such responses can't be resumed. */
export const RUN_RESPONSE_PATH = /\/(generate|workflows\/run)$/

/** Path prefix added to streamed requests, because the Router routes by prefix. */
export const STREAM_PREFIX = "/-stream"

/** Matches API paths. All other paths belong to the studio, a single page with client-side routing. */
const API_PATH =
  /^\/(agents|answer|api|blobs|config\.json|generate|graph|health|hooks|logout|mcp|openapi\.json|prompts|status|stream|v1|workspace)(\/|$)/

/** Matches paths that contain a secret, up to and including the secret. */
const SECRET_PATH = /(\/hooks\/)[^/]+/g

/** ID of the Router's origin for the studio's files. */
export const STUDIO_ORIGIN = "studio"

/**
 * ID of the Router's origin for WebSockets, and name of the API Gateway stage behind it. An origin's URL can't have a
 * path.
 */
export const SOCKETS_ORIGIN = "sockets"
export const SOCKETS_STAGE = "live"
/** Query parameter that passes a WebSocket's path to API Gateway. */
export const PATH_PARAMETER = "path"

/** Removes secrets from a request path before it is logged. Otherwise, anyone with access to the log could use them. */
export function pathWithoutSecrets(path: string): string {
  return path.replace(SECRET_PATH, "$1…")
}

/**
 * Generates the CloudFront function that edits a request before the Router chooses its target. The secret proves to the
 * app that the request came through the Router. `studioFiles` lists the studio's files; all other studio paths serve
 * the same page. Credentials are removed from requests for the studio.
 */
export function viewerRequestCode(originSecret: string, studioFiles: string[], { sockets = false } = {}): string {
  return `
  const request = event.request;
${sockets ? socketCode(originSecret) : ""}  if (/^(GET|HEAD)$/.test(request.method) && !${API_PATH}.test(request.uri)) {
    if (!${JSON.stringify(studioFiles)}.includes(request.uri)) request.uri = "/index.html";
    request.querystring = {};
    request.cookies = {};
    delete request.headers.authorization;
    cf.selectRequestOriginById("${STUDIO_ORIGIN}");
    return request;
  }
  request.headers[${JSON.stringify(ORIGIN_HEADER)}] = { value: ${JSON.stringify(originSecret)} };
  request.headers[${JSON.stringify(VIEWER_HEADER)}] = { value: event.viewer.ip };
  if (${STREAMED_PATH}.test(request.uri) || ${ACCEPTS_EVENT_STREAM}) request.uri = "${STREAM_PREFIX}" + request.uri;
`
}

/**
 * Generates the code for WebSockets. It passes the path to API Gateway as a parameter, overwriting any client parameter
 * of the same name. Team events can also be requested as a page, so the code looks for `sec-websocket-key`, because
 * CloudFront functions don't see the `Upgrade` header.
 */
function socketCode(originSecret: string): string {
  return `  const events = /^(\\/api\\/v1\\/teams|\\/agents)\\/[A-Za-z0-9_-]{1,128}\\/events$/.test(request.uri);
  if (events ? request.headers["sec-websocket-key"] : /^(\\/api\\/v1)?\\/ws(\\/[A-Za-z0-9_-]{1,128})?$/.test(request.uri)) {
    request.querystring.${PATH_PARAMETER} = { value: request.uri };
    request.uri = "/${SOCKETS_STAGE}";
    request.headers[${JSON.stringify(ORIGIN_HEADER)}] = { value: ${JSON.stringify(originSecret)} };
    cf.selectRequestOriginById("${SOCKETS_ORIGIN}");
    return request;
  }
`
}

/**
 * Expression that is true if the client asks for a stream. The same path serves a run's events both as JSON pages and
 * as a stream.
 */
const ACCEPTS_EVENT_STREAM = `(request.headers.accept || { value: "" }).value.toLowerCase().includes("text/event-stream")`
