import { ORIGIN_HEADER, VIEWER_HEADER } from "../http/origin.ts"

/**
 * Paths whose responses stream for as long as a run takes. The function for streams serves them, and all requests for
 * event streams. The api serves the rest.
 */
export const STREAMED_PATH = /\/(stream|generate|workflows\/run)$/

/** Streamed paths whose responses end with their run and can't be resumed. */
export const RUN_RESPONSE_PATH = /\/(generate|workflows\/run)$/

/** Path prefix of streamed requests, because the Router routes by prefix. */
export const STREAM_PREFIX = "/-stream"

/** Pattern of the API's paths. All other paths are the studio's page, which does its own routing. */
const API_PATH =
  /^\/(agents|answer|api|blobs|config\.json|generate|graph|health|hooks|logout|mcp|openapi\.json|prompts|status|stream|v1|workspace)(\/|$)/

/** Pattern of paths that contain a secret, up to and including the secret. */
const SECRET_PATH = /(\/hooks\/)[^/]+/g

/** Id of the Router's origin for the studio's files. */
export const STUDIO_ORIGIN = "studio"

/** Id of the Router's origin for sockets, and the name of its API Gateway stage, which has no paths. */
export const SOCKETS_ORIGIN = "sockets"
export const SOCKETS_STAGE = "live"
/** Query parameter that passes the path of a socket to API Gateway. */
export const PATH_PARAMETER = "path"

/** Removes the secret from a request's path for the log: readers of logs must not get a link's permissions. */
export function pathWithoutSecrets(path: string): string {
  return path.replace(SECRET_PATH, "$1…")
}

/**
 * Generates the Router's function that edits a request before its target is chosen, in the JavaScript of CloudFront
 * functions. The secret proves to the app that a request came through the Router. `studioFiles` are the paths of the
 * studio's files; all its own addresses are one page. Requests to the store of these files carry no credentials.
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
 * Generates the code for sockets. It passes the path as a parameter to API Gateway, and overwrites the client's own
 * parameter of that name. A team's events are also a page, and CloudFront functions don't see the header `Upgrade`.
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

/** A run's events have one path for both pages in JSON and streams. */
const ACCEPTS_EVENT_STREAM = `(request.headers.accept || { value: "" }).value.toLowerCase().includes("text/event-stream")`
