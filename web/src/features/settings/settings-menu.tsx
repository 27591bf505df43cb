import { useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { SettingsDialog } from "./settings-dialog";

/** Opens the settings. */
export function SettingsMenu() {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" icon="settings" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {texts.settings.open}
      </Button>
      {open && <SettingsDialog onClose={() => setOpen(false)} />}
    </>
  );
}
