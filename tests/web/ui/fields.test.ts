import { type ComponentType, createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it, vi } from "vitest"
import { Button } from "../../../packages/web/src/ui/button.tsx"
import { Checkbox } from "../../../packages/web/src/ui/checkbox.tsx"
import {
  ChoiceField,
  Field,
  fieldsOf,
  numbersWith,
  SelectField,
  TextArea,
} from "../../../packages/web/src/ui/field.tsx"

const onChange = () => undefined

/** Renders a control to HTML without its classes, and with `id` in place of React's generated ID. */
function drawn<P extends object>(control: ComponentType<P>, props: P): string {
  const html = renderToStaticMarkup(createElement(control, props)).replaceAll(/ class="[^"]*"/g, "")
  const id = /for="([^"]+)"/.exec(html)?.[1] ?? ""
  return html.replaceAll(id, "id")
}

describe("a control with a label", () => {
  const controls: [name: string, draw: (note: { hint?: string; error?: string | null }) => string][] = [
    ["text field", (note) => drawn(Field, { label: "Name", value: "a", onChange, ...note })],
    ["text area", (note) => drawn(TextArea, { label: "Name", value: "a", onChange, ...note })],
    ["select", (note) => drawn(SelectField, { label: "Name", value: "a", onChange, options: ["a"], ...note })],
  ]

  it.each(controls)("is named by it: %s", (_, draw) => {
    const html = draw({})
    expect(html).toContain('<label for="id">Name</label>')
    expect(html).toContain(' id="id"')
    expect(html).not.toContain("aria-")
  })

  it.each(controls)("is described by its hint: %s", (_, draw) => {
    const html = draw({ hint: "As you like" })
    expect(html).toContain('aria-describedby="id-note"')
    expect(html).toContain('<div id="id-note">As you like</div>')
    expect(html).not.toContain("aria-invalid")
  })

  it.each(controls)("says its error in place of its hint, as an alert: %s", (_, draw) => {
    const html = draw({ hint: "As you like", error: "Too long" })
    expect(html).toContain('aria-invalid="true"')
    expect(html).toContain('<div id="id-note" role="alert">Too long</div>')
    expect(html).not.toContain("As you like")
    expect(draw({ hint: "As you like", error: null })).toContain(">As you like<")
  })
})

describe("a text field", () => {
  it("is left alone by the browser where a name or a command is typed", () => {
    const html = drawn(Field, { label: "Path", value: "", onChange, verbatim: true })
    for (const attribute of ['spellCheck="false"', 'autoCapitalize="off"', 'autoCorrect="off"', 'autoComplete="off"']) {
      expect(html).toContain(attribute)
    }
    expect(drawn(Field, { label: "Path", value: "", onChange })).not.toContain("autoCo")
  })

  it("offers texts to choose from", () => {
    const html = drawn(Field, { label: "Zone", value: "", onChange, suggestions: ["UTC", "Asia/Tokyo"] })
    const list = /list="([^"]+)"/.exec(html)?.[1]
    expect(html).toContain(`<datalist id="${list}"><option>UTC</option><option>Asia/Tokyo</option></datalist>`)
  })
})

describe("a select", () => {
  it("has its options in order, each with its words", () => {
    const html = drawn(SelectField, { label: "Size", value: "b", onChange, options: ["a", ["b", "The b"]] })
    expect(html).toContain('<option value="a">a</option><option value="b" selected="">The b</option>')
  })

  it("has the labels of a few fixed values", () => {
    const html = drawn(ChoiceField<"no" | "yes">, {
      label: "Sure",
      value: "yes",
      onChange,
      of: { no: "No", yes: "Yes" },
    })
    expect(html).toContain('<option value="no">No</option><option value="yes" selected="">Yes</option>')
  })

  it("has the chosen number among the usual ones", () => {
    expect(numbersWith([10, 12, 20], 14)).toEqual(["10", "12", "14", "20"])
    expect(numbersWith([10, 12], 12)).toEqual(["10", "12"])
  })
})

it("ties a checkbox to its label and its hint", () => {
  const html = drawn(Checkbox, { label: "Keep", hint: "For later", value: true, onChange })
  expect(html).toContain('type="checkbox" aria-describedby="id-hint" checked=""')
  expect(html).toContain('<label for="id">Keep</label><p id="id-hint">For later</p>')
})

it("ties the fields of a form to its values", () => {
  const change = vi.fn()
  const of = fieldsOf({ name: "a", isOn: false }, change, { name: "Too short" })
  expect(of("name")).toMatchObject({ value: "a", error: "Too short" })
  expect(of("isOn").error).toBeUndefined()
  of("isOn").onChange(true)
  expect(change.mock.calls).toEqual([[{ isOn: true }]])
})

describe("a disabled submit button", () => {
  it("stays the form's default button, so that Enter in the only field doesn't submit", () => {
    vi.stubGlobal("document", { activeElement: undefined })
    const html = renderToStaticMarkup(createElement(Button, { type: "submit", disabled: true }))
    vi.unstubAllGlobals()
    expect(html).toMatch(/ type="submit" .*disabled=""/)
  })
})
