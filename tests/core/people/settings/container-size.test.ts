import { createRepositoriesOfOwners } from "@switchyard/core/people/settings/repository-settings"
import { afterEach, beforeEach, expect, it } from "vitest"
import { openStores } from "../../../fixtures/stores.ts"
import { noSignal } from "../../log/store.ts"

const signal = noSignal()
const repository = "https://git.example/ada/large.git"

let stores: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const settingsWith = (...containerSizes: string[]) =>
  createRepositoriesOfOwners({ records: stores.records, containerSizes })
const named = (container_size: string | null) => ({ repositories: [{ repository, container_size }] })

it("a repository's settings name one of the stage's sizes, only for their owner's sessions", async () => {
  const settings = settingsWith("4x16", "8x32")
  const options = { signal }
  await settings.replace("ada", named("4x16"), options)
  const sizeOf = (owner: string, name: string | null) => settings.containerSizeFor(owner, name, { signal })
  expect(await sizeOf("ada", repository)).toBe("4x16")
  expect([await sizeOf("bob", repository), await sizeOf("ada", null)]).toEqual([undefined, undefined])

  const larger = settings.replace("ada", named("16x120x200"), options)
  await expect(larger).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringContaining("4x16, 8x32"),
  })
  expect(await sizeOf("ada", repository)).toBe("4x16")
  // The operator may drop a size later.
  expect(await settingsWith("8x32").containerSizeFor("ada", repository, { signal })).toBeUndefined()
  await settings.replace("ada", named(null), options)
  expect(await sizeOf("ada", repository)).toBeUndefined()
})

it("a server without further sizes refuses any", async () => {
  const refused = settingsWith().replace("ada", named("4x16"), { signal })
  await expect(refused).rejects.toThrow("It has only one size.")
})
