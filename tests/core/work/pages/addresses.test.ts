import { addressesIn } from "@switchyard/core/work/pages/addresses"
import { expect, it } from "vitest"

it.each([
  ["https://en.wikipedia.org/wiki/Tea_(drink)", "https://en.wikipedia.org/wiki/Tea_(drink)"],
  ["(see https://a.example/Tea_(drink)).", "https://a.example/Tea_(drink)"],
  ["(see https://a.example/Tea_(drink).)", "https://a.example/Tea_(drink)"],
  ["[Tea](https://a.example/Tea_(drink))", "https://a.example/Tea_(drink)"],
  ["[a page](https://a.example/x)", "https://a.example/x"],
  ["https://a.example/f(see below)", "https://a.example/f"],
  ["https://a.example/a_(b)_(c", "https://a.example/a_(b)_"],
  ["“https://a.example/x”", "https://a.example/x"],
  ["（https://a.example/x）。", "https://a.example/x"],
  ["Read https://a.example/x, please!", "https://a.example/x"],
])("finds the address in %j without the text around it", (text, address) => {
  expect(addressesIn(text)).toEqual([address.replace(/_$/, "")])
})
