import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, it } from "vitest"
import { EntryDialog } from "../../../../../packages/web/src/features/settings/list/entry-dialog.tsx"
import { MoveButtons, moved } from "../../../../../packages/web/src/features/settings/list/move-buttons.tsx"

it("moves an item of a list up and down", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"])
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"])
})

it("offers no way beyond the ends of a list, or of a group in it", () => {
  const buttons = (list: string[], at: number) => {
    const props = { list, at, name: "rule", groupOf: ([group = ""]: string) => group, onChange: () => undefined }
    const html = renderToStaticMarkup(createElement(MoveButtons<string>, props))
    return [...html.matchAll(/<button[^>]*>/g)].map(([tag]) => [
      /aria-label="([^"]*)"/.exec(tag)?.[1],
      tag.includes('disabled=""'),
    ])
  }
  const both = (up: boolean, down: boolean) => [
    ["Move rule up", up],
    ["Move rule down", down],
  ]
  expect(buttons(["a1", "a2"], 0)).toEqual(both(true, false))
  expect(buttons(["a1", "a2"], 1)).toEqual(both(false, true))
  expect(buttons(["a1", "b1", "b2"], 1)).toEqual(both(true, false))
})

it("submits no entry twice, and none that lacks something", () => {
  const dialog = (change: { isPending: boolean; error: Error | null }, blocked: boolean) => {
    const props = { title: "Add", action: "Save", change: { ...change, reset: () => undefined }, blocked }
    const handlers = { onSubmit: () => undefined, onClose: () => undefined, children: "Fields" }
    return renderToStaticMarkup(createElement(EntryDialog, { ...props, ...handlers }))
  }
  const button = (html: string) => /<button[^>]*type="submit"[^>]*>(.*?)<\/button>/.exec(html)
  expect(button(dialog({ isPending: false, error: null }, false))?.[0]).not.toContain('disabled=""')
  expect(button(dialog({ isPending: false, error: null }, true))?.[0]).toContain('disabled=""')
  expect(button(dialog({ isPending: true, error: null }, false))?.[0]).toContain('disabled=""')
  expect(button(dialog({ isPending: true, error: null }, false))?.[1]).toContain("Saving…")
  expect(dialog({ isPending: false, error: new Error("It exists already.") }, false)).toContain("It exists already.")
})
