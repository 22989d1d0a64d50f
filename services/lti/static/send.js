// Sends the signed link on to the platform; without scripts its button does.
document.getElementById("send").submit();
