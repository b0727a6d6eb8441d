import { ORIGIN_HEADER, VIEWER_HEADER } from "../http/origin.ts"

/**
 * What is answered as it comes, for as long as a run takes: the function for streams answers it, and whatever is asked for as
 * a stream of events, and the api the rest.
 */
export const STREAMED_PATH = /\/(stream|generate|workflows\/run)$/

/** Of these, what ends with its run and can't be taken up again elsewhere. */
export const ANSWER_OF_A_RUN = /\/(generate|workflows\/run)$/

/** The Router chooses by the beginning of a path, so what it shall stream is given one of its own. */
export const STREAM_PREFIX = "/-stream"

/**
 * What the Router does with a request before it chooses where it goes, in the JavaScript of CloudFront's functions. The
 * secret proves to the app that a request came this way.
 */
export function atTheEdge(originSecret: string): string {
  return `
  event.request.headers[${JSON.stringify(ORIGIN_HEADER)}] = { value: ${JSON.stringify(originSecret)} };
  event.request.headers[${JSON.stringify(VIEWER_HEADER)}] = { value: event.viewer.ip };
  if (${STREAMED_PATH}.test(event.request.uri) || ${ASKS_FOR_EVENTS}) event.request.uri = "${STREAM_PREFIX}" + event.request.uri;
`
}

/** A run's events are one path for both: a page of them in JSON, or a stream. */
const ASKS_FOR_EVENTS = `(event.request.headers.accept || { value: "" }).value.toLowerCase().includes("text/event-stream")`
