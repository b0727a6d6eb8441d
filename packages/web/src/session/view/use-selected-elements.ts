import { MAX_ELEMENTS } from "@switchyard/core/work/workflow/element-limits-schema"
import { type ElementPicture, type SelectedElement, useBrowser, useStudio } from "../context/studio.ts"

const none: readonly SelectedElement[] = []

/** Elements of a session's app that its next request is about. */
export function useSelectedElements(sessionId: string) {
  const { browser } = useStudio()
  const elements = useBrowser((state) => state.elements[sessionId] ?? none)
  const replace = (change: (before: readonly SelectedElement[]) => readonly SelectedElement[]) =>
    browser.setState(({ elements }) => ({
      elements: { ...elements, [sessionId]: change(elements[sessionId] ?? none).slice(-MAX_ELEMENTS) },
    }))
  return {
    elements,
    /** Adds an element. If there are too many, the oldest is dropped. */
    add: (element: SelectedElement) => replace((before) => [...before, element]),
    /** Gives an element its picture, or takes it away. Does nothing if the element was removed or sent. */
    illustrate: (element: SelectedElement, picture: ElementPicture | undefined) =>
      replace((before) => before.map((one) => (one === element ? { ...one, picture } : one))),
    remove: (at: number) => replace((before) => before.toSpliced(at, 1)),
    /** Removes these elements after they were sent, even if their pictures have arrived since. Later ones remain. */
    forget: () =>
      replace((before) => before.filter((one) => !elements.some(({ selector }) => one.selector === selector))),
  }
}
