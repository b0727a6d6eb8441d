import { ORIGIN_HEADER, VIEWER_HEADER } from "../http/origin.ts"
import { REQUIRED_SCOPE } from "../http/permissions.ts"
import { STUDIO_PATHS } from "../http/studio.ts"

/**
 * Paths whose responses stream for as long as a run takes: the function for streams serves them, and whatever is requested
 * as a stream of events; the api serves the rest.
 */
export const STREAMED_PATH = /\/(stream|generate|workflows\/run)$/

/** Of these, the responses that end with their run and can't be resumed. */
export const RUN_RESPONSE_PATH = /\/(generate|workflows\/run)$/

/** The Router routes by path prefix, so streamed requests get one of their own. */
export const STREAM_PREFIX = "/-stream"

/** The prefixes of the API. Every other path is the studio's page, which does its own routing. */
const API_PATH = new RegExp(`^/(${apiSegments().join("|").replaceAll(".", "\\.")})(/|$)`)

/** The paths of which a part is a secret by itself, up to that. */
const SECRET_PATH = new RegExp(`(${secretPrefixes().join("|")})[^/]+`, "g")

/** The Router's path of the studio's files. */
export const STUDIO_ORIGIN = "studio"

/** The Router's path of the sockets, and the stage of API Gateway's that they are, which has no paths. */
export const SOCKETS_ORIGIN = "sockets"
export const SOCKETS_STAGE = "live"
/** The parameter in which API Gateway is told the path of a socket. */
export const PATH_PARAMETER = "path"

/** A request's path as a log may have it: whoever reads logs can't do what a link allows. */
export function pathWithoutSecrets(path: string): string {
  return path.replace(SECRET_PATH, "$1…")
}

/**
 * The Router's function that edits a request before its target is chosen, in the JavaScript of CloudFront's functions. The
 * secret proves to the app that a request came this way. `studioFiles` are the paths at which the studio has a file; its
 * own addresses are all one page. Requests to the store of its files carry no credentials.
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
 * The path is a parameter for API Gateway; whatever else a client calls so is overwritten. A team's events are also a page,
 * and a function of CloudFront's doesn't see the header `Upgrade`.
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

/** A run's events are one path for both: a page of them in JSON, or a stream. */
const ACCEPTS_EVENT_STREAM = `(request.headers.accept || { value: "" }).value.toLowerCase().includes("text/event-stream")`

function apiSegments(): string[] {
  const segmentOf = (path = "") => path.split("/")[1] ?? ""
  const paths = Object.keys(REQUIRED_SCOPE).flatMap((route) => route.split(" ").slice(1))
  // Anything but a word is a pattern for the studio's files.
  const segments = paths.map(segmentOf).filter((segment) => /^[\w.-]+$/.test(segment))
  const studio = ["assets", ...STUDIO_PATHS.map(segmentOf)]
  return [...new Set(segments)].filter((segment) => !studio.includes(segment)).sort()
}

function secretPrefixes(): string[] {
  return Object.keys(REQUIRED_SCOPE).flatMap((route) => /^\S+ (.*\/):token$/.exec(route)?.[1] ?? [])
}
