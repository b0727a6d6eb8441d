import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { appSizeProblem, findAppFiles } from "@switchyard/core/sessions/apps/app-files"
import { describe, expect, it } from "vitest"

function manifestOf(paths: string[], size = 1) {
  const files = paths.map((path) => ({
    path: path as WorkspacePath,
    sha256: "0".repeat(64),
    size,
    mode: 0o644,
    binary: false,
  }))
  return { files, folders: [] }
}

const found = (...paths: string[]) => {
  const app = findAppFiles(manifestOf(paths))
  return app && { folder: app.folder, files: app.files.map(({ path }) => path as string), leftOut: app.leftOut.length }
}

describe("the files of an app", () => {
  it("are those of a build's output, before those of its sources", () => {
    const paths = ["index.html", "src/main.js", "dist/index.html", "dist/assets/a.js"]
    expect(found(...paths)).toEqual({ folder: "dist/", files: ["dist/index.html", "dist/assets/a.js"], leftOut: 2 })
    expect(found("index.html", "web/build/index.html")?.folder).toBe("web/build/")
    expect(found("index.html", "node_modules/a/dist/index.html", ".cache/out/index.html")?.folder).toBe("")
  })

  it("are otherwise those beside the page that is nearest to the root", () => {
    const paths = ["docs/a/index.html", "public/index.html", "public/style.css", "server.js"]
    expect(found(...paths)).toEqual({ folder: "public/", files: ["public/index.html", "public/style.css"], leftOut: 2 })
    expect(found("page.html")).toBeUndefined()
    expect(found("tests/index.html")).toBeUndefined()
  })

  it("never include secrets, or what belongs to development", () => {
    const own = ["index.html", "app.js", "passwords.js", "data/list.json", "img/a.PNG", ".well-known/security.txt"]
    const others = [
      ...[".env", ".env.local", "config/.env.production", ".git/config", ".well-known/.env", "node_modules/a/a.js"],
      ...["key.pem", "id_rsa", "app.sqlite", "dump.sql", "LICENSE", "app.ts", "main.py", "deploy.sh", "app.js.map"],
      ...[
        "package.json",
        "package-lock.json",
        "README.md",
        "AGENTS.md",
        "tests/app.js",
        "app.test.js",
        "vite.config.js",
      ],
      ...["secrets.json", "my-credentials.json", "service-account.json", "gcp-serviceaccount.json", "api-token.txt"],
    ]
    expect(found(...own, ...others)).toEqual({ folder: "", files: own, leftOut: others.length })
    const inside = [...own, ...others].map((path) => `dist/${path}`)
    expect(found(...inside)?.files).toEqual(own.map((path) => `dist/${path}`))
  })

  it("are limited in number and size", () => {
    const app = (count: number, size: number) => {
      const paths = ["index.html", ...Array.from({ length: count - 1 }, (_, index) => `a${index}.js`)]
      const files = findAppFiles(manifestOf(paths, size))
      return files && appSizeProblem(files)
    }
    expect(app(2000, 25_000)).toBeUndefined()
    expect(app(2001, 1)).toBe("The app has 2,001 files. At most 2,000 can be published.")
    expect(app(2, 25_000_001)).toBe("The app has 50.0 MB. At most 50.0 MB can be published.")
  })
})
