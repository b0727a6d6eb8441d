import { type RefObject, useEffect, useRef, useState } from "react"
import { type AnsweredElement, type PickedElement, toElement, toPickedElement } from "./answers.ts"

/** Directions in which keys move the outline. */
export type Direction = "next" | "previous" | "parent" | "child"

interface Point {
  x: number
  y: number
}

type Question = { at: Point } | { move: Direction } | { at: Point; scroll: Point & { dx: number; dy: number } }

export interface InspectedPage {
  url: string
  /** True if it has no origin. */
  opaque: boolean
}

export interface Inspector {
  /** The outlined element. */
  element: AnsweredElement | null
  /** Outlines another element. */
  ask(question: Question): void
  /** Selects the element at a point, or else the outlined one. */
  pick(at?: Point): void
}

/** Answers beyond the questions that end the conversation: no honest page sends any. */
export const MAX_UNASKED = 20

/**
 * Asks the page in the frame about its elements, while `page` isn't null. The page answers through a port of its own,
 * and only the answer to the latest question counts, so nothing else that a page sends is taken for a selection. `loads`
 * changes with each page that is loaded into the frame. `onPick` receives the port for further questions, and closes it.
 */
export function useInspector(
  frame: RefObject<HTMLIFrameElement | null>,
  page: InspectedPage | null,
  { loads, onPick }: { loads: number; onPick(element: PickedElement, port: MessagePort): void },
): Inspector {
  const [element, setElement] = useState<AnsweredElement | null>(null)
  const port = useRef<MessagePort | null>(null)
  /** Numbers of the latest question, and of the latest that selects an element. */
  const asked = useRef<{ id: number; pickId: number | null }>({ id: 0, pickId: null })
  const picked = useRef(onPick)
  picked.current = onPick
  const [url, opaque] = [page?.url, page?.opaque]
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that was loaded again has no port
  useEffect(() => {
    setElement(null)
    if (url === undefined) return
    const { port1, port2 } = new MessageChannel()
    let answers = 0
    port1.onmessage = ({ data }) => {
      const { id, pickId } = asked.current
      if (++answers > id + MAX_UNASKED) return port1.close()
      const answered = toElement(data, id)
      if (answered) setElement(answered)
      const whole = pickId === null ? undefined : toPickedElement(data, pickId)
      if (!whole) return
      // Another answer to the same question must not select a second element.
      asked.current.pickId = null
      port.current = null
      port1.onmessage = null
      picked.current(whole, port1)
    }
    frame.current?.contentWindow?.postMessage({ switchyard: "inspect" }, opaque ? "*" : new URL(url).origin, [port2])
    port.current = port1
    return () => {
      if (port.current === port1) port1.close()
      port.current = null
    }
  }, [frame, url, opaque, loads])

  const send = (question: object) => {
    asked.current.id++
    port.current?.postMessage({ id: asked.current.id, ...question })
  }
  return {
    element,
    ask: send,
    pick(at) {
      asked.current.pickId = asked.current.id + 1
      send({ pick: true, at })
    },
  }
}
