import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { folder, INSTALL_MS, installed, run } from "./tools.ts"

/** The generator, and the dependencies that its clients list in their pom.xml. */
const CLIENT_JARS = [
  "org.openapitools:openapi-generator-cli:7.25.0",
  "com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.21.5",
  "org.openapitools:jackson-databind-nullable:0.2.11",
  "com.google.code.findbugs:jsr305:3.0.2",
  "jakarta.annotation:jakarta.annotation-api:1.3.5",
  "org.apache.httpcomponents:httpmime:4.5.14",
]
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies"
const JAVA = 17

/** Resolves to the folder of the Java generator and its client's jars, or to an error if they can't be installed. */
export async function javaTools(): Promise<string | Error> {
  const compiler = await run("javac", ["-version"], {}).catch(() => "")
  if (compiler === "") return new Error("this machine has no Java compiler")
  return mavenJars(join(folder, "java"), CLIENT_JARS, { limitMs: INSTALL_MS })
}

/**
 * Installs jars (`group:artifact:version`) and their dependencies in a folder, once. Resolves to the folder, or to an
 * error. After a timeout, Maven keeps the jars it has downloaded.
 */
export async function mavenJars(
  place: string,
  artifacts: string[],
  { limitMs }: { limitMs: number },
): Promise<string | Error> {
  const java = await run("java", ["-version"], {}).catch(() => "")
  if (!(Number(/version "(\d+)/.exec(java)?.[1]) >= JAVA)) return new Error(`this machine has no Java ${JAVA} or later`)
  return installed(place, artifacts, async (cwd) => {
    await writeFile(join(cwd, "pom.xml"), pomWith(artifacts))
    const args = ["-q", "-B", COPY, "-DincludeScope=runtime", "-DoutputDirectory=."]
    await run("mvn", args, { cwd, limitMs }).catch((error) => {
      if (error.code === "ENOENT") throw new Error("this machine has no Maven")
      if (error.name === "AbortError") throw new Error(`Maven wasn't done in ${limitMs / 1000} s; next time it goes on`)
      throw error
    })
  })
}

function pomWith(artifacts: string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [groupId, artifactId, version] = artifact.split(":")
    return `<dependency>
      <groupId>${groupId}</groupId>
      <artifactId>${artifactId}</artifactId>
      <version>${version}</version>
    </dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>switchyard</groupId>
  <artifactId>jars</artifactId>
  <version>1</version>
  <dependencies>
    ${dependencies.join("\n    ")}
  </dependencies>
</project>
`
}
