// Runs one table of behaviours, one after the other, and prints a JSON object: its name to null or to what went wrong.
async function main(table) {
  const outcome = {};
  for (const [name, behaviour] of Object.entries(require(`./${table}.js`))) {
    try {
      await behaviour();
      outcome[name] = null;
    } catch (error) {
      outcome[name] = `${error.stack}`;
    }
  }
  process.stdout.write(JSON.stringify(outcome), () => process.exit());
}

process.on("unhandledRejection", (error) => process.stderr.write(`unhandled: ${error?.stack}\n`));
main(process.argv[2]);
