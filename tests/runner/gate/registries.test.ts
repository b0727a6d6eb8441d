import { registryAddresses, registryVariables } from "@switchyard/runner/gate/registries"
import { expect, it } from "vitest"

it("are those that the machine's environment names, without passwords, words and files", () => {
  const host = {
    PATH: "/usr/bin",
    npm_config_registry: "http://npm.example:8081/",
    PIP_INDEX_URL: "https://user:secret@pip.example/simple",
    GOPROXY: "https://go.example|http://127.0.0.1:3000/a, file:///srv/modules,direct",
  }
  expect(Object.keys(registryVariables(host))).toEqual(["npm_config_registry", "GOPROXY"])
  expect(registryAddresses(host).map(({ href }) => href)).toEqual([
    "http://npm.example:8081/",
    "https://go.example/",
    "http://127.0.0.1:3000/a",
  ])
  expect(registryAddresses({ GOPROXY: undefined })).toEqual([])
})
