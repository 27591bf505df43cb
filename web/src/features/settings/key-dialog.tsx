import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useStore } from "zustand";
import { useTexts } from "../../i18n/i18n";
import { keyStore, setKey } from "../../protocol/key";
import { Button } from "../../ui/button/button";
import { Dialog, DialogButtons } from "../../ui/dialog/dialog";
import { TextField } from "../../ui/text-field";

/** With more in a request's head the service would not even look at it. */
const LONGEST = 4096;

/** Asks for the key while the service wants one. */
export function KeyDialog() {
  const wanted = useStore(keyStore, (state) => state.wanted);
  return wanted ? <Ask /> : null;
}

function Ask() {
  const texts = useTexts();
  const queries = useQueryClient();
  const given = useStore(keyStore, (state) => state.key);
  const [value, setValue] = useState("");
  return (
    <Dialog title={texts.settings.keyTitle} closeLabel={texts.app.close} onClose={() => undefined}>
      <p>{texts.settings.keyHint}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim() === "") return;
          setKey(value);
          void queries.invalidateQueries();
        }}
      >
        <TextField
          data-autofocus
          label={texts.settings.keyLabel}
          type="password"
          autoComplete="off"
          spellCheck={false}
          maxLength={LONGEST}
          value={value}
          error={given === null ? null : texts.settings.keyWrong}
          onChange={(event) => setValue(event.target.value)}
        />
        <DialogButtons>
          <Button type="submit" look="primary" disabled={value.trim() === ""}>
            {texts.settings.keyUse}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
