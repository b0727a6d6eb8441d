import { type RefObject, useState } from "react"
import { type Decoder, isObject, object, text } from "../../../api/decode.ts"
import { useCommand } from "../../../session/context/commands.ts"
import { type SelectedElement, useStudio } from "../../../session/context/studio.ts"
import { fileAt } from "../../../session/stream/files.ts"
import { useSelectedElements } from "../../../session/view/use-selected-elements.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import type { PickedElement } from "./answers.ts"
import { type InspectedPage, useInspector } from "./use-inspector.ts"

interface Shown {
  page: InspectedPage | null
  /** True if the page comes from the project's server or build, so its path says nothing about its file. */
  isServer: boolean
  /** Number of pages that were loaded into the frame so far. */
  loads: number
}

/** Texts by path. */
const texts: Decoder<Record<string, string>> = {
  parse: (sent) => {
    if (!isObject(sent)) throw new TypeError("Expected an object.")
    return Object.fromEntries(Object.entries(sent).map(([path, content]) => [path, text.parse(content)]))
  },
}
const AllFiles = object({ files: texts })

/** Lets the user select elements in the preview, for the next request if it `takesElements`. */
export function useElementSelection(
  frame: RefObject<HTMLIFrameElement | null>,
  { page, isServer, loads }: Shown,
  takesElements: boolean,
) {
  const { sessionId, api } = useShownSession()
  const files = useSessionData(({ live }) => live.files)
  const { add, illustrate } = useSelectedElements(sessionId)
  const [chosen, setSelecting] = useState(false)
  const isAvailable = page !== null && loads > 0 && takesElements
  const selecting = chosen && isAvailable

  async function onPick(
    { tag, selector, text, html, page, ...picked }: PickedElement,
    port: MessagePort,
  ): Promise<void> {
    setSelecting(false)
    let element: SelectedElement = { tag, selector, text, html, page }
    try {
      const [all, { locateElement }] = await Promise.all([
        api.call("GET /workspace/files", { query: { workspace_id: sessionId }, response: AllFiles }),
        import("./locate-element.ts"),
      ])
      const present = new Map(Object.entries(all.files).filter(([path]) => fileAt(files, path)))
      element = { ...element, ...locateElement({ ...element, ...picked }, present, { isServer }) }
    } catch {
      // Its selector and HTML are enough to find it.
    }
    add(element)
    try {
      const src =
        element.file === undefined ? await (await import("./ask-for-picture.ts")).askForPicture(port) : undefined
      if (src !== undefined) illustrate(element, { src, shown: false })
    } finally {
      port.close()
    }
  }

  const inspector = useInspector(frame, selecting ? page : null, {
    loads,
    onPick: (...picked) => void onPick(...picked),
  })
  const toggle = () => setSelecting(!selecting)
  const { commands } = useStudio()
  const fromAnywhere = () => {
    // Another pane may cover the app.
    commands.run("preview")
    toggle()
  }
  useCommand("select-element", "Select an element in the app", isAvailable ? fromAnywhere : null)
  return { selecting, toggle, leave: () => setSelecting(false), isAvailable, inspector }
}
