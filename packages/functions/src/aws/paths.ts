import { NEEDS } from "../http/needs.ts"
import { ORIGIN_HEADER, VIEWER_HEADER } from "../http/origin.ts"
import { STUDIO_PATHS } from "../http/studio.ts"

/**
 * Paths whose answers stream for as long as a run takes: the function for streams serves them, and whatever is asked for as
 * a stream of events, and the api the rest.
 */
export const STREAMED_PATH = /\/(stream|generate|workflows\/run)$/

/** Of these, what ends with its run and can't be taken up again elsewhere. */
export const ANSWER_OF_A_RUN = /\/(generate|workflows\/run)$/

/** The Router chooses by the beginning of a path, so what it shall stream is given one of its own. */
export const STREAM_PREFIX = "/-stream"

/** Begins what the API answers. Every other address is the studio's page, which looks at it itself. */
const API_PATH = new RegExp(`^/(${apiSegments().join("|").replaceAll(".", "\\.")})(/|$)`)

/** The Router's path of the studio's files. */
export const STUDIO_ORIGIN = "studio"

/**
 * The Router's function that edits a request before its target is chosen, in the JavaScript of CloudFront's functions. The
 * secret proves to the app that a request came this way. `studioFiles` are the paths at which the studio has a file; its
 * own addresses are all one page. The store of its files is told nothing of who asks.
 */
export function atTheEdge(originSecret: string, studioFiles: string[]): string {
  return `
  const request = event.request;
  if (/^(GET|HEAD)$/.test(request.method) && !${API_PATH}.test(request.uri)) {
    if (!${JSON.stringify(studioFiles)}.includes(request.uri)) request.uri = "/index.html";
    request.querystring = {};
    request.cookies = {};
    delete request.headers.authorization;
    cf.selectRequestOriginById("${STUDIO_ORIGIN}");
    return request;
  }
  request.headers[${JSON.stringify(ORIGIN_HEADER)}] = { value: ${JSON.stringify(originSecret)} };
  request.headers[${JSON.stringify(VIEWER_HEADER)}] = { value: event.viewer.ip };
  if (${STREAMED_PATH}.test(request.uri) || ${ASKS_FOR_EVENTS}) request.uri = "${STREAM_PREFIX}" + request.uri;
`
}

/** A run's events are one path for both: a page of them in JSON, or a stream. */
const ASKS_FOR_EVENTS = `(request.headers.accept || { value: "" }).value.toLowerCase().includes("text/event-stream")`

function apiSegments(): string[] {
  const segmentOf = (path = "") => path.split("/")[1] ?? ""
  const paths = Object.keys(NEEDS).flatMap((route) => route.split(" ").slice(1))
  // Anything but a word is a pattern for the studio's files.
  const segments = paths.map(segmentOf).filter((segment) => /^[\w.-]+$/.test(segment))
  const studio = ["assets", ...STUDIO_PATHS.map(segmentOf)]
  return [...new Set(segments)].filter((segment) => !studio.includes(segment)).sort()
}
